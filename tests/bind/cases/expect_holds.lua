-- mode: check
return { run = function(k, state)
  k:get("deployments.apps", "web"):expect { spec = { replicas = 3, template = { spec = { containers = { { name = "web" }, { name = "log" } } } } } }
end }
-- expect: passed
-- expect: holds Deployment web:  | {"spec":{"replicas":3,"template":{"spec":{"containers":[{"name":"web"},{"name":"log"}]}}}} | as wanted
