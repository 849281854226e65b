-- mode: do
-- fault: GET /api/v1/namespaces/learn/secrets 403
return { run = function(k, state)
  k:list("secrets")
end }
-- expect: unreachable forbidden_in_do.lua:4: cannot list secrets in namespace learn: you may not
