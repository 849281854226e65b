-- mode: check
-- put: {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"learn"}}
return { run = function(k, state)
  local n = k:get("namespaces", "learn")
  n:expect { metadata = { name = "learn" } }
  expect(n:namespace() == nil, "1")
end }
-- expect: passed
-- expect: holds Namespace learn:  | {"metadata":{"name":"learn"}} | as wanted
-- expect: holds :  |  |  | text 1/1
