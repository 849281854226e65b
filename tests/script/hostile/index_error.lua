-- expect: error ~ "index_error.lua:2: deep"
local t = setmetatable({}, { __index = function() error("deep") end })
local x = t.y
