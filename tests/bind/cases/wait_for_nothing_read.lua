-- mode: verify
return { run = function(k, state)
  k:wait(k:list("pods", { labels = { app = "nobody" } }):first(), "Ready", 1)
end }
-- expect: error wait_for_nothing_read.lua:3: bad argument #1 to 'wait' (there is no such object)
