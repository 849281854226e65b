-- expect: ok
local function f() return 1 + f() end
local seen = 0
local ok = xpcall(error, function(m) seen = seen + 1 return f() end, "x")
assert(not ok and seen > 0)
