-- expect: error ~ "error_number.lua:2: 42"
error(42)
