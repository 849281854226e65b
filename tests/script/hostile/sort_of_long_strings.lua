-- expect: limit ~ "endless loop?"
local a = ("x"):rep(1000000) .. "a"
local b = ("x"):rep(1000000) .. "b"
local t = {}
for i = 1, 10000 do t[i] = i % 2 == 0 and a or b end
while true do pcall(table.sort, t) table.sort(t, function(x, y) return y < x end) end
