-- mode: check
return { run = function(k, state)
  k:sleep(0)
end }
-- expect: error try_from_check_sleep.lua:3: k:sleep has to try something out: it belongs into verify, a check only reads
