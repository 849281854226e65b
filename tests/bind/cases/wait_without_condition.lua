-- mode: verify
return { run = function(k, state)
  k:wait("pods", "web-a")
end }
-- expect: error wait_without_condition.lua:3: bad argument #3 to 'wait' (string expected, got nil)
