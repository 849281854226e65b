-- expect: limit ~ "endless loop?"
local t = setmetatable({}, { __index = function() return "" end })
while true do table.concat(t, "", 1, 900000) end
