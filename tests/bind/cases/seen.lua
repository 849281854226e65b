-- mode: check
return { run = function(k, state)
  k:expect_seen("pods", "web-a", { status = { phase = "Running" } })
  k:expect_seen("pods", "web-a", { status = { phase = "Failed" } })
  k:expect_seen("pods", { labels = { app = "web" } }, { status = { phase = "Pending" } }):points(3)
end }
-- expect: failed
-- expect: holds Pod web-a: seen in this step | {"status":{"phase":"Running"}} | seen | history
-- expect: fails Pod web-a: seen in this step | {"status":{"phase":"Failed"}} | not seen | history
-- expect: holds Pod app=web: seen in this step | {"status":{"phase":"Pending"}} | seen | points 3 | history
