-- mode: do
return { run = function(k, state)
  local ok, err = pcall(k.scale, k, "deployments.apps", "nobody", 3)
  expect(not ok and err.kind == "not_found", tostring(err))
end }
-- expect: passed
-- expect: holds :  |  |  | text error_value_is_told.lua:3: cannot patch deployments.apps/scale nobody in namespace learn: deployments.apps "nobody" not found/error_value_is_told.lua:3: cannot patch deployments.apps/scale nobody in namespace learn: deployments.apps "nobody" not found
-- expect: sent PATCH /apis/apps/v1/namespaces/learn/deployments/nobody/scale {"spec":{"replicas":3}}
