-- mode: check
return { run = function(k, state)
  k:wait_gone("pods", "x")
end }
-- expect: error try_from_check_wait_gone.lua:3: k:wait_gone has to try something out: it belongs into verify, a check only reads
