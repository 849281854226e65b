-- expect: error ~ "C stack overflow"
require "lib.deep"
