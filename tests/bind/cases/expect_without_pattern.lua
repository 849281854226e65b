-- mode: check
return { run = function(k, state)
  k:get("pods", "web-a"):expect()
end }
-- expect: error expect_without_pattern.lua:3: bad argument #1 to 'expect' (value expected)
