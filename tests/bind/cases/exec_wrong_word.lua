-- mode: verify
return { run = function(k, state)
  k:exec("web-a", { "ls", 3 })
end }
-- expect: error exec_wrong_word.lua:3: bad argument #2 to 'exec' (every word of the command is a text)
