-- expect: error ~ "setmetatable: __close is not available"
setmetatable({}, { __close = function() end })
