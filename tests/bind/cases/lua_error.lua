-- mode: check
return { run = function(k, state)
  local x = nil; return x.y
end }
-- expect: error lua_error.lua:3: attempt to index a nil value (local 'x')
