-- expect: ok
local ran = false
local mt = { }
for _ = 1, 100 do setmetatable({}, mt) end
mt.__gc = function() ran = true while true do end end
for _ = 1, 1000 do local s = ("x"):rep(20000) end
assert(not ran)
assert(not pcall(setmetatable, {}, mt))
assert(not pcall(setmetatable, {}, { __gc = false, __index = 1 }))
-- hidden behind __index it is not seen by Lua either
setmetatable({}, setmetatable({}, { __index = { __gc = function() ran = true end } }))
for _ = 1, 1000 do local s = ("x"):rep(20000) end
assert(not ran)
