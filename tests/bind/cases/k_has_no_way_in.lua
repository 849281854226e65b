-- mode: check
return { run = function(k, state)
  expect(getmetatable(k) == "locked" and getmetatable(k:get("pods", "web-a")) == "locked" and getmetatable(k:list("pods")) == "locked", "1")
  expect(getmetatable(any) == "locked" and getmetatable(expect(true)) == "locked", "2")
  expect(not pcall(setmetatable, state, nil), "3")
  expect(tostring(at_least(3)) == "at_least", "4")
end }
-- expect: passed
-- expect: holds :  |  |  | text 1/1
-- expect: holds :  |  | 
-- expect: holds :  |  |  | text 2/2
-- expect: holds :  |  |  | text 3/3
-- expect: holds :  |  |  | text 4/4
