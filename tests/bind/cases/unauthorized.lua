-- mode: check
-- fault: * /api 401
return { run = function(k, state)
  k:get("pods", "web-a")
end }
-- expect: unreachable unauthorized.lua:4: cannot GET /apis: the server does not accept the credentials (Unauthorized) / http://127.0.0.1:N
