-- mode: check
return { run = function(k, state)
  k:get("deployments.apps", "web"):rolled_out()
end }
-- expect: passed
-- expect: holds Deployment web: status | rolled out | rolled out
