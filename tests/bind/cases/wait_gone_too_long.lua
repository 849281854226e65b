-- mode: verify
return { run = function(k, state)
  k:wait_gone("pods", "web-a", 0.05)
end }
-- expect: error wait_gone_too_long.lua:3: pods web-a did not become absent in 0.05 s
