-- mode: check
return { run = function(k, state)
  k:exec("web-a", { "ls" })
end }
-- expect: error try_from_check_exec.lua:3: k:exec has to try something out: it belongs into verify, a check only reads
