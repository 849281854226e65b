-- mode: check
-- fault: * / -1
return { run = function(k, state)
  k:get("pods", "web-a")
end }
-- expect: unreachable reset.lua:4: the API server 127.0.0.1:N broke the connection / Recv failure: Connection reset by peer
