-- mode: check
return { run = function(k, state)
  expect(true):foo()
end }
-- expect: error expect_goes_nowhere.lua:3: an expectation has no function "foo"
-- expect: holds :  |  | 
