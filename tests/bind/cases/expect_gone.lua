-- mode: check
return { run = function(k, state)
  local pods = k:list("pods", { labels = { app = "web" } })
  pods:expect_gone({ "pod-a", "left-1", "left-2" }, { at_least = 2 })
  pods:expect_gone({ "left-1", "left-2" }, { all = true })
  pods:expect_gone { "pod-a", "left-1" }
  pods:expect_gone {}
end }
-- expect: failed
-- expect: holds Pod app=web: from before | at least 2 of 3 gone | 2 gone
-- expect: holds Pod app=web: from before | all 2 gone | 2 gone
-- expect: fails Pod app=web: from before | all 2 gone | 1 gone
-- expect: fails Pod app=web: from before | all 0 gone | 0 gone
