-- mode: verify
-- fault: GET /api/v1/namespaces/learn/secrets 403
return { run = function(k, state)
  k:wait("secrets", "login", "Ready")
end }
-- expect: unreachable wait_forbidden.lua:4: cannot list secrets in namespace learn: you may not
