-- expect: ok
local t = {}
for i = 1, 500 do t[i] = i end
pcall(table.sort, t, function() return true end)
pcall(table.sort, t, function(a, b) t[a] = nil return a < b end)
pcall(table.sort, t, function(a, b) table.remove(t) return true end)
pcall(table.sort, t, math.max)
pcall(table.sort, t, coroutine.wrap(function() while true do coroutine.yield(true) end end))
assert(not pcall(table.sort, { 3, "x", 1 }))
local s = { 3, 1, 2 }
table.sort(s)
assert(table.concat(s, ",") == "1,2,3")
table.sort(s, function(a, b) return a > b end)
assert(table.concat(s, ",") == "3,2,1")
