-- mode: check
return { run = function(k, state)
  expect(true):points(1001)
end }
-- expect: error points_wrong.lua:3: bad argument #1 to 'points' (points are 0 to 1000)
-- expect: holds :  |  | 
