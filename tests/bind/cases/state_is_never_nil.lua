-- mode: check
return { run = function(k, state)
  expect(type(state) == "table" and next(state) == nil and state.x == nil)
end }
-- expect: passed
-- expect: holds :  |  | 
