-- mode: verify
-- fault: GET /api/v1/namespaces/learn/pods/web-a/exec 403
return { run = function(k, state)
  k:exec("web-a", { "ls" })
end }
-- expect: unreachable exec_refused.lua:4: cannot run ls in pod web-a: cannot open a connection to /api/v1/namespaces/learn/pods/web-a/exec: you may not / cannot open a connection to /api/v1/namespaces/learn/pods/web-a/exec: you may not
