-- mode: check
return { run = function(k, state)
  k:get("deployments.apps", "web"):expect { spec = { replicas = 4, paused = true, template = { spec = { containers = { { image = "nginx:1.28" }, any } } } } }
end }
-- expect: failed
-- expect: fails Deployment web: spec.paused | true | missing
-- expect: fails Deployment web: spec.replicas | 4 | 3
-- expect: fails Deployment web: spec.template.spec.containers[0].image | "nginx:1.28" | "nginx:1.27"
