-- mode: check
return { run = function(k, state)
  expect(k:list("pods", { labels = { app = "web", old = false } }):count() == 2, "1")
  expect(k:list("pods", { labels = { old = true } }):count() == 1, "2")
  expect(k:list("pods", { labels = "app=web,old=yes" }):count() == 1, "3")
  expect(k:list("pods", { labels = { n = 3 } }):count() == 0, "4")
  expect(k:list("pods", { fields = { ["metadata.name"] = "web-a" } }):count() == 1, "5")
  expect(k:list("pods", { fields = "spec.nodeName=node-1" }):count() == 2, "6")
  expect(k:list("configmaps", { namespace = "other" }):count() == 1, "7")
  k:list("pods", { labels = { app = "nobody" } }):expect { a = 1 }
  k:list("pods", { labels = { app = "nobody" } }):first():expect { a = 1 }
  k:list("pods", { labels = { app = "nobody" }, fields = { ["spec.nodeName"] = "x" } }):expect_count(1)
  k:list("pods", { fields = { ["spec.nodeName"] = "x" } }):expect_count(1)
  k:list("pods"):ready():expect { a = 1 }
end }
-- expect: failed
-- expect: holds :  |  |  | text 1/1
-- expect: holds :  |  |  | text 2/2
-- expect: holds :  |  |  | text 3/3
-- expect: holds :  |  |  | text 4/4
-- expect: holds :  |  |  | text 5/5
-- expect: holds :  |  |  | text 6/6
-- expect: holds :  |  |  | text 7/7
-- expect: fails Pod app=nobody:  | at least one object | none
-- expect: fails Pod:  | there | missing
-- expect: fails Pod app=nobody: number | 1 | 0
-- expect: fails Pod spec.nodeName=x: number | 1 | 0
-- expect: fails Pod web-a: a | 1 | missing
