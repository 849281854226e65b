-- mode: verify
return { run = function(k, state)
  k:wait("pods", "web-b", "Ready", 0.05)
end }
-- expect: error wait_too_long.lua:3: pods web-b did not become Ready in 0.05 s
