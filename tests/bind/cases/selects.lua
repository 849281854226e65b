-- mode: check
return { run = function(k, state)
  k:service("web"):selects("deployments.apps", "web")
  k:service("web"):selects("pods", "web-a")
  k:service("web"):selects("pods", "web-b")
  k:service("lost"):selects("deployments.apps", "web")
  k:service("headless"):selects("deployments.apps", "web")
  k:service("missing"):selects("deployments.apps", "web")
  k:service("web"):selects("deployments.apps", "missing")
end }
-- expect: failed
-- expect: holds Service web: spec.selector | app=web,tier=front | app=web,tier=front
-- expect: fails Service web: spec.selector | app=web | app=web,tier=front
-- expect: fails Service lost: spec.selector | app=web,tier=front | app=wob
-- expect: fails Service headless: spec.selector | app=web,tier=front | 
-- expect: fails Service missing:  | there | missing
-- expect: fails Deployment missing:  | there | missing
