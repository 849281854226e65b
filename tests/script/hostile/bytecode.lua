-- expect: error ~ "module 'lib.compiled' is compiled Lua"
-- lib/compiled.lua begins as compiled Lua does
require "lib.compiled"
