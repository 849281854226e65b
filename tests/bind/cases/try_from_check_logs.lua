-- mode: check
return { run = function(k, state)
  k:logs("web-a")
end }
-- expect: error try_from_check_logs.lua:3: k:logs has to try something out: it belongs into verify, a check only reads
