-- expect: limit ~ "endless loop?"
local function spin() while true do end end
local function layer(f) return function() return pcall(coroutine.wrap(function() return pcall(f) end)) end end
local f = spin
for _ = 1, 20 do f = layer(f) end
while true do pcall(f) end
