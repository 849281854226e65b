-- mode: do
return { run = function(k, state)
  return { uids = k:list("pods", { labels = { app = "web" } }):uids(), n = 1.5, yes = true, text = "ä", none = {} }
end }
-- expect: passed
-- expect: result {"n":1.5,"none":{},"text":"ä","uids":["pod-a","pod-b","pod-0"],"yes":true}
