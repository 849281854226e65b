-- mode: do
return { run = function(k, state)
  local a = {}
  a.a = a
  return a
end }
-- expect: error the step's state must be plain values / the table is nested too deeply
