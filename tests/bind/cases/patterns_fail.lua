-- mode: check
return { run = function(k, state)
  local d, s = k:get("deployments.apps", "web"), k:get("secrets", "login")
  d:expect { spec = { replicas = at_least(4), selector = absent, nothing = any } }
  d:expect { spec = { template = { spec = { containers = contains { name = "nobody" } } } } }
  d:expect { spec = { template = { spec = { containers = each { image = matches "^nginx:" } } } } }
  d:expect { spec = { template = { spec = { containers = { { resources = { requests = { cpu = at_least "2" } } } } } } } }
  d:expect { spec = { replicas = one_of { 1, 2 } } }
  d:expect { spec = { replicas = function(v) return v > 5 end } }
  d:expect { spec = { template = { spec = { containers = { {} } } } } }
  s:expect { data = { [".dockerconfigjson"] = base64_json { auths = { ["reg.example"] = { username = "bob" } } } } }
  s:expect { data = { password = base64_json {} } }
end }
-- expect: failed
-- expect: fails Deployment web: spec.nothing | present | missing
-- expect: fails Deployment web: spec.replicas | at least 4 | 3
-- expect: fails Deployment web: spec.selector | absent | {"matchLabels":{"app":"web"}}
-- expect: fails Deployment web: spec.template.spec.containers | a list with {"name":"nobody"} | [{"name":"web","image":"nginx:1.27","resources":{"requests":{"cpu":"500m"}}},{"name":"log","image":"busybox:1.36"}]
-- expect: fails Deployment web: spec.template.spec.containers[1].image | matches ^nginx: | "busybox:1.36"
-- expect: fails Deployment web: spec.template.spec.containers | [{"resources":{"requests":{"cpu":at least "2"}}}] | [{"name":"web","image":"nginx:1.27","resources":{"requests":{"cpu":"500m"}}},{"name":"log","image":"busybox:1.36"}]
-- expect: fails Deployment web: spec.replicas | one of 1, 2 | 3
-- expect: fails Deployment web: spec.replicas | what the lesson's function wants | 3
-- expect: fails Deployment web: spec.template.spec.containers | [{}] | [{"name":"web","image":"nginx:1.27","resources":{"requests":{"cpu":"500m"}}},{"name":"log","image":"busybox:1.36"}]
-- expect: fails Secret login: data[".dockerconfigjson"].auths["reg.example"].username | "bob" | "ann"
-- expect: fails Secret login: data.password | base64 of {} | "aHVudGVyMg=="
