-- mode: check
return { run = function(k, state)
  expect(k:list("pods", { labels = { app = "web", old = false } }):count() == 2)
  expect(k:list("pods", { labels = { old = true } }):count() == 1)
  expect(k:list("pods", { labels = "app=web,old=yes" }):count() == 1)
  expect(k:list("pods", { labels = { n = 3 } }):count() == 0)
  expect(k:list("pods", { fields = { ["metadata.name"] = "web-a" } }):count() == 1)
  expect(k:list("pods", { fields = "spec.nodeName=node-1" }):count() == 2)
  expect(k:list("configmaps", { namespace = "other" }):count() == 1)
  k:list("pods", { labels = { app = "nobody" } }):expect { a = 1 }
  k:list("pods", { labels = { app = "nobody" } }):first():expect { a = 1 }
  k:list("pods", { labels = { app = "nobody" }, fields = { ["spec.nodeName"] = "x" } }):expect_count(1)
  k:list("pods", { fields = { ["spec.nodeName"] = "x" } }):expect_count(1)
  k:list("pods"):ready():expect { a = 1 }
end }
-- expect: failed
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: fails Pod app=nobody:  | at least one object | none
-- expect: fails Pod:  | there | missing
-- expect: fails Pod app=nobody: number | 1 | 0
-- expect: fails Pod spec.nodeName=x: number | 1 | 0
-- expect: fails Pod web-a: a | 1 | missing
