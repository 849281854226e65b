-- expect: error ~ "the error object is a table"
error(setmetatable({}, { __tostring = function() error("no") end }))
