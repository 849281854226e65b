-- expect: error ~ "error_nil.lua:2: the error object is a nil value"
error(nil)
