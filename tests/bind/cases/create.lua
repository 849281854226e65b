-- mode: do
return { run = function(k, state)
  k:create { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "c" } }
  k:create { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "settings" } }
end }
-- expect: error create.lua:4: cannot create configmaps settings in namespace learn: configmaps "settings" already exists / http://127.0.0.1:N
