-- mode: check
-- put: {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"api"},"spec":{"replicas":3},"status":{"observedGeneration":1,"replicas":3,"updatedReplicas":3,"availableReplicas":2}}
return { run = function(k, state)
  k:get("deployments.apps", "api"):rolled_out()
end }
-- expect: failed
-- expect: fails Deployment api: status | rolled out | 2 of 3 available
