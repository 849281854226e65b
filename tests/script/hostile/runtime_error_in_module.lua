-- expect: error ~ "lib/raises.lua:2: attempt to index a nil value (local 'a')"
require "lib.raises"
