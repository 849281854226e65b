-- mode: do
return { run = function(k, state)
  k:list("pods", { labels = { app = "web" } }):expect_gone { "pod-a", "left" }
end }
-- expect: failed
-- expect: fails Pod app=web: from before | all 2 gone | 1 gone
