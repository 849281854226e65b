-- mode: do
return { run = function(k, state)
  k:apply { apiVersion = "v1", kind = "ConfigMap" }
end }
-- expect: error apply_no_name.lua:3: the object has no metadata.name
