-- mode: check
return { run = function(k, state)
  k:wait("pods", "web-a", "Ready")
end }
-- expect: error try_from_check_wait.lua:3: k:wait has to try something out: it belongs into verify, a check only reads
