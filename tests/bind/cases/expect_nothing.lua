-- mode: check
return { run = function(k, state)
  expect()
end }
-- expect: error expect_nothing.lua:3: bad argument #1 to 'expect' (value expected)
