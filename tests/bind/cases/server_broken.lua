-- mode: check
-- fault: GET /api/v1/namespaces/learn/pods 500
return { run = function(k, state)
  k:get("pods", "web-a")
end }
-- expect: unreachable server_broken.lua:4: cannot list pods in namespace learn: something broke inside
