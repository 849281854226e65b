-- mode: verify
return { run = function(k, state)
  k:logs(k:list("pods", { labels = { app = "nobody" } }):first())
end }
-- expect: error logs_of_nothing.lua:3: bad argument #1 to 'logs' (there is no such Pod)
