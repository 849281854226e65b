-- expect: error ~ "requires itself"
require "lib.circle"
