-- mode: do
-- fault: PATCH /api/v1/namespaces/learn/configmaps/c 409
return { run = function(k, state)
  k:apply { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "c" } }
end }
-- expect: error apply_conflict.lua:4: cannot apply configmaps c in namespace learn: somebody else was first / http://127.0.0.1:N
