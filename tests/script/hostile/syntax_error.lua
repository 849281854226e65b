-- expect: error ~ "syntax_error.lua:3: unexpected symbol near '='"
local x = 1
x = = 2
