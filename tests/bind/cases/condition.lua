-- mode: check
return { run = function(k, state)
  local d = k:get("deployments.apps", "web")
  d:condition "Available"
  d:condition "Progressing"
  d:condition "Unheard"
end }
-- expect: failed
-- expect: holds Deployment web: status.conditions[type=Available].status | True | True
-- expect: fails Deployment web: status.conditions[type=Progressing].status | True | False, Stuck: waited too long
-- expect: fails Deployment web: status.conditions[type=Unheard].status | True | missing
