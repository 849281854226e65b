-- mode: do
return { run = function(k, state)
  k:scale("deployments.apps", "web", 5)
  k:scale(k:get("deployments.apps", "web"), 0)
  k:scale("deployments.apps", "web", -1)
end }
-- expect: error scale.lua:5: bad argument #3 to 'scale' (replicas are 0 to 10000)
-- expect: sent PATCH /apis/apps/v1/namespaces/learn/deployments/web/scale {"spec":{"replicas":5}}
-- expect: sent PATCH /apis/apps/v1/namespaces/learn/deployments/web/scale {"spec":{"replicas":0}}
