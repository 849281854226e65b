-- expect: limit ~ "endless loop?"
local t = setmetatable({}, { __len = function() return 2 ^ 31 - 2 | 0 end, __index = function(_, i) return i end, __newindex = function() end })
while true do pcall(table.sort, t) end
