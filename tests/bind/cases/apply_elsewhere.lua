-- mode: do
return { run = function(k, state)
  k:apply { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "c", namespace = "other" } }
end }
-- expect: error apply_elsewhere.lua:3: a lesson may change things only in the learner's namespace learn, not in other
