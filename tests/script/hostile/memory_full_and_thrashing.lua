-- expect: limit
-- lives at the edge of its memory, so that every allocation collects everything first
local keep = {}
pcall(function() while true do keep[#keep + 1] = { 1 } end end)
for _ = 1, 60 do keep[#keep] = nil end
while true do pcall(function() local a, b, c = {}, {}, ("x"):rep(3000) end) end
