-- mode: verify
return { run = function(k, state)
  k:sleep(61)
end }
-- expect: error sleep_wrong.lua:3: bad argument #1 to 'sleep' (0 to 60 seconds)
