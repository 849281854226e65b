-- expect: limit ~ "endless loop?"
local function f() return pcall(pcall, pcall, function() while true do end end) end
for _ = 1, 1e9 do f() end
