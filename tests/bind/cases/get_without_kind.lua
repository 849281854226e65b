-- mode: check
return { run = function(k, state)
  k:get(nil, "web")
end }
-- expect: error get_without_kind.lua:3: bad argument #1 to 'get' (string expected, got nil)
