-- mode: check
return { run = function(k, state)
  k:gett("pods", "x")
end }
-- expect: error unknown_function.lua:3: k has no function "gett" (docs/lua.md lists them)
