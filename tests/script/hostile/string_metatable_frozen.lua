-- expect: ok
assert(getmetatable("") == false)
assert(not pcall(setmetatable, "", {}))
assert(not pcall(function() string.find = function() end end))
assert(not pcall(function() ("").x = 1 end))
assert(not pcall(rawset, string, "find", 1))
assert(("x").dump == nil and string.dump == nil)
assert(not pcall(table.insert, string, 1))
assert(not pcall(table.move, { 1 }, 1, 1, 1, string))
