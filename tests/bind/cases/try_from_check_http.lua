-- mode: check
return { run = function(k, state)
  k:http("service/web:80", "/")
end }
-- expect: error try_from_check_http.lua:3: k:http has to try something out: it belongs into verify, a check only reads
