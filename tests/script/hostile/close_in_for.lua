-- expect: limit ~ "endless loop?"
local mt = {}
local value = setmetatable({}, mt)
mt.__close = function() while true do end end
for _ in function() return nil end, nil, nil, value do end
