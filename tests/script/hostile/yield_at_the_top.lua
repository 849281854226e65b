-- expect: error ~ "yield_at_the_top.lua:3: attempt to yield from outside a coroutine"
assert(coroutine.isyieldable() == false)
coroutine.yield(1)
