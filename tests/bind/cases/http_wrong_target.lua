-- mode: verify
return { run = function(k, state)
  k:http("web:80", "/")
end }
-- expect: error http_wrong_target.lua:3: bad argument #1 to 'http' ("service/NAME:PORT" or "pod/NAME:PORT" is wanted)
