-- mode: check
return { run = function(k, state)
  expect(k:list("pods", { labels = { app = "nobody" } }):first():name() == nil, "1")
end }
-- expect: passed
-- expect: holds :  |  |  | text 1/1
