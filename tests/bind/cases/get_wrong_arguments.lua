-- mode: check
return { run = function(k, state)
  k:get("pods")
end }
-- expect: error get_wrong_arguments.lua:3: bad argument #2 to 'get' (string expected, got nil)
