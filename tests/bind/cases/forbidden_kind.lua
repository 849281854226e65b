-- mode: check
-- fault: GET /api/v1/namespaces/learn/secrets 403
return { run = function(k, state)
  k:list("secrets"):expect_count(1)
end }
-- expect: unreachable forbidden_kind.lua:4: cannot list secrets in namespace learn: you may not
