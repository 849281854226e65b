-- mode: check
return { run = function(k, state)
  expect(getmetatable(k) == "locked" and getmetatable(k:get("pods", "web-a")) == "locked" and getmetatable(k:list("pods")) == "locked")
  expect(getmetatable(any) == "locked" and getmetatable(expect(true)) == "locked")
  expect(not pcall(setmetatable, state, nil))
  expect(tostring(at_least(3)) == "at_least")
end }
-- expect: passed
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: holds :  |  | 
