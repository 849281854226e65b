-- expect: error ~ "lib/broken.lua:2: syntax error near 'two'"
require "lib.broken"
