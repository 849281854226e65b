-- expect: error ~ "error_table.lua:2: the error object is a table value"
error({})
