-- expect: error ~ "error_with_message.lua:2: in a table"
error({ message = "in a table" })
