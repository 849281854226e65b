-- expect: limit
local t = {}
for i = 1, 50000 do t[i] = i end
local function f(...) return select("#", ...) end
while true do f(table.unpack(t)) f(string.byte(("x"):rep(50000), 1, -1)) end
