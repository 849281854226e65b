-- mode: check
return { run = function(k, state)
  local c = k:get("configmaps", "elsewhere", { namespace = "other" })
  expect(c:exists() and c:namespace() == "other", "1")
  c:expect { data = { colour = "red" } }
  expect(not k:get("configmaps", "elsewhere"):exists(), "2")
end }
-- expect: passed
-- expect: holds :  |  |  | text 1/1
-- expect: holds ConfigMap elsewhere:  | {"data":{"colour":"red"}} | as wanted
-- expect: holds :  |  |  | text 2/2
