-- mode: check
return { run = function(k, state)
  k:list("pods", { labels = { app = "other" } }):expect_gone { "pod-a" }
end }
-- expect: failed
-- expect: fails Pod app=other: from before | all 1 gone | 0 gone
