-- mode: verify
return { run = function(k, state)
  k:exec("web-a", {})
end }
-- expect: error exec_wrong.lua:3: bad argument #2 to 'exec' (a command of 1 to 64 words: { "ls", "/" })
