-- mode: check
return { run = function(k, state)
  expect(type(state) == "table" and next(state) == nil and state.x == nil, "1")
end }
-- expect: passed
-- expect: holds :  |  |  | text 1/1
