-- mode: check
return { run = function(k, state)
  expect(k:list("pods", { labels = { app = "nobody" } }):first():name() == nil)
end }
-- expect: passed
-- expect: holds :  |  | 
