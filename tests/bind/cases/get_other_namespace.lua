-- mode: check
return { run = function(k, state)
  local c = k:get("configmaps", "elsewhere", { namespace = "other" })
  expect(c:exists() and c:namespace() == "other")
  c:expect { data = { colour = "red" } }
  expect(not k:get("configmaps", "elsewhere"):exists())
end }
-- expect: passed
-- expect: holds :  |  | 
-- expect: holds ConfigMap elsewhere:  | {"data":{"colour":"red"}} | as wanted
-- expect: holds :  |  | 
