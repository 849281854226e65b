-- mode: do
return { run = function(k, state)
  k:expect_absent("pods", "web-a")
  k:expect_absent("pods", "nobody", { for_seconds = 60 })
end }
-- expect: failed
-- expect: fails Pod web-a:  | gone | there
-- expect: holds Pod nobody:  | gone for 60 s | gone | history
