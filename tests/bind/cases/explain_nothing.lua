-- mode: check
return { run = function(k, state)
  expect(true):explain()
end }
-- expect: error explain_nothing.lua:3: bad argument #1 to 'explain' (value expected)
-- expect: holds :  |  | 
