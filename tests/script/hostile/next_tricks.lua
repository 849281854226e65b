-- expect: ok
assert(not pcall(next, {}, "no such key"))
assert(not pcall(next, {}, 1e300))
local t = { a = 1, b = 2, c = 3 }
for k in pairs(t) do t[k] = nil end
assert(next(t) == nil)
assert(next(string) == nil) -- a stand-in is empty
assert(not pcall(rawset, {}, nil, 1) and not pcall(rawset, {}, 0 / 0, 1))
