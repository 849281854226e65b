-- mode: check
return { run = function(k, state)
  local d, s = k:get("deployments.apps", "web"), k:get("secrets", "login")
  d:expect { spec = { replicas = at_least(2), paused = absent } }
  d:expect { spec = { template = { spec = { containers = contains { name = "log" } } } } }
  d:expect { spec = { template = { spec = { containers = contains { { name = "log" }, { name = "web" } } } } } }
  d:expect { spec = { template = { spec = { containers = each { image = matches "^(nginx|busybox):" } } } } }
  d:expect { spec = { template = { spec = { containers = { { resources = { requests = { cpu = at_least "250m" } } }, any } } } } }
  d:expect { spec = { replicas = one_of { 1, 3 } } }
  d:expect { spec = { replicas = function(v) return v % 3 == 0 end } }
  s:expect { data = { [".dockerconfigjson"] = base64_json { auths = { ["reg.example"] = { username = "ann" } } } } }
  s:expect { data = { password = secret(any) } }
end }
-- expect: passed
-- expect: holds Deployment web:  | {"spec":{"paused":absent,"replicas":at least 2}} | as wanted
-- expect: holds Deployment web:  | {"spec":{"template":{"spec":{"containers":a list with {"name":"log"}}}}} | as wanted
-- expect: holds Deployment web:  | {"spec":{"template":{"spec":{"containers":a list with {"name":"log"}, {"name":"web"}}}}} | as wanted
-- expect: holds Deployment web:  | {"spec":{"template":{"spec":{"containers":a list, each {"image":matches ^(nginx|busybox):}}}}} | as wanted
-- expect: holds Deployment web:  | {"spec":{"template":{"spec":{"containers":[{"resources":{"requests":{"cpu":at least "250m"}}},present]}}}} | as wanted
-- expect: holds Deployment web:  | {"spec":{"replicas":one of 1, 3}} | as wanted
-- expect: holds Deployment web:  | {"spec":{"replicas":what the lesson's function wants}} | as wanted
-- expect: holds Secret login:  | {"data":{".dockerconfigjson":base64 of {"auths":{"reg.example":{"username":"ann"}}}}} | as wanted
-- expect: holds Secret login:  | {"data":{"password":(hidden)}} | as wanted
