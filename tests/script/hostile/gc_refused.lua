-- expect: error ~ "gc_refused.lua:2: setmetatable: __gc is not available"
setmetatable({}, { __gc = function() while true do end end })
