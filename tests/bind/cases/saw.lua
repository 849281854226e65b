-- mode: check
return { run = function(k, state)
  local d = k:get("deployments.apps", "web")
  d:saw("spec.replicas", { 3 })
  d:saw("spec.replicas", { 3, 5, 3 })
  d:saw("spec.paused", {})
end }
-- expect: failed
-- expect: holds Deployment web: spec.replicas | [3] | [3] | history
-- expect: fails Deployment web: spec.replicas | [3,5,3] | [3] | history
-- expect: holds Deployment web: spec.paused | {} | [null] | history
