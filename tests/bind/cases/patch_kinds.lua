-- mode: do
return { run = function(k, state)
  local c = k:get("configmaps", "settings")
  k:patch(c, { data = { colour = "red" } })
  k:patch("configmaps", "settings", { { op = "replace", path = "/data/number", value = "8" } }, { type = "json" })
  k:patch("configmaps", "settings", { data = { new = "x" } }, { type = "strategic" })
  k:patch("deployments.apps", "web", { status = { replicas = 9 } }, { subresource = "status" })
  k:get("configmaps", "settings"):expect { data = { colour = "red", number = "8", new = "x" } }
end }
-- expect: passed
-- expect: holds ConfigMap settings:  | {"data":{"colour":"red","new":"x","number":"8"}} | as wanted
-- expect: sent PATCH /api/v1/namespaces/learn/configmaps/settings {"data":{"colour":"red"}}
-- expect: sent PATCH /api/v1/namespaces/learn/configmaps/settings [{"op":"replace","path":"/data/number","value":"8"}]
-- expect: sent PATCH /api/v1/namespaces/learn/configmaps/settings {"data":{"new":"x"}}
-- expect: sent PATCH /apis/apps/v1/namespaces/learn/deployments/web/status {"status":{"replicas":9}}
