-- expect: limit ~ "endless loop?"
-- variables to be closed while the budget error passes
local mt = {}
local value = setmetatable({}, mt)
mt.__close = function() while true do end end
pcall(function() local x <close> = value while true do end end)
for _, _, _ in next, {}, nil, value do end
