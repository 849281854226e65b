-- mode: check
return { run = function(k, state)
  expect(true):points("x")
end }
-- expect: error points_no_number.lua:3: bad argument #1 to 'points' (number expected, got string)
-- expect: holds :  |  | 
