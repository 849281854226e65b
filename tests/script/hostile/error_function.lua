-- expect: error ~ "error_function.lua:2: the error object is a function value"
error(function() end)
