-- expect: ok
local a = clock()
assert(type(a) == "number" and a >= 0 and a < 100)
assert(clock() >= a)
