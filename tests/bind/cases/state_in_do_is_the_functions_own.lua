-- mode: do
-- state: {"n":3}
return { run = function(k, state)
  state.n = state.n + 1
  return state
end }
-- expect: passed
-- expect: result {"n":4}
