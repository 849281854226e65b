-- expect: error ~ "tostring_endless_at_the_end.lua:2"
error(setmetatable({}, { __tostring = function() while true do end end }))
