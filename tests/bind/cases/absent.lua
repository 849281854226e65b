-- mode: check
return { run = function(k, state)
  k:expect_absent("pods", "web-a")
  k:expect_absent("pods", "nobody"):points(2)
  k:expect_absent("pods", "nobody", { for_seconds = 60 }):explain(t { en = "gone for a minute", zh = "消失一分钟" })
  k:expect_absent("configmaps", "elsewhere", { namespace = "other" })
end }
-- expect: failed
-- expect: fails Pod web-a:  | gone | there
-- expect: holds Pod nobody:  | gone | gone | points 2
-- expect: fails Pod nobody:  | gone for 60 s | gone, but not for so long yet | text gone for a minute/消失一分钟 | history
-- expect: fails ConfigMap elsewhere:  | gone | there
-- expect: again later
