-- mode: verify
return { run = function(k, state)
  k:wait("pods", "web-a", "Ready", 0)
end }
-- expect: error wait_wrong_time.lua:3: bad argument #4 to 'wait' (0 to 600 seconds)
