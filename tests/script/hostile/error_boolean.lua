-- expect: error ~ "error_boolean.lua:2: false"
error(false)
