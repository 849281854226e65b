-- mode: check
-- state: {"n":3}
return { run = function(k, state)
  state.x = 1
end }
-- expect: error state_is_read_only.lua:4: a step's state is read-only here: only setup returns it
