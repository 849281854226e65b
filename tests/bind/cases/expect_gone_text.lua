-- mode: check
return { run = function(k, state)
  k:list("pods"):expect_gone "pod-a"
end }
-- expect: error expect_gone_text.lua:3: bad argument #1 to 'expect_gone' (table expected, got string)
