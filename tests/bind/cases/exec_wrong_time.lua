-- mode: verify
return { run = function(k, state)
  k:exec("web-a", { "ls" }, { timeout = 301 })
end }
-- expect: error exec_wrong_time.lua:3: bad argument #3 to 'exec' (timeout is 0 to 300 seconds)
