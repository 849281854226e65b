-- mode: check
return { run = function(k, state)
  local d = k:get("deployments.apps", "wob")
  expect(not d:exists() and d:at "spec.replicas" == nil and d:name() == "wob" and not d:has_condition "Available" and d:revisions() == 0, "1")
  d:expect { spec = { replicas = 3 } }
  d:condition "Available"
  d:rolled_out()
  d:saw("spec.replicas", { 3 })
end }
-- expect: failed
-- expect: holds :  |  |  | text 1/1
-- expect: fails Deployment wob:  | there | missing
-- expect: fails Deployment wob: spec.replicas | [3] | [] | history
