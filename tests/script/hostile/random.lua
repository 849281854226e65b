-- expect: ok
math.randomseed(7)
local a = math.random(1000000)
math.randomseed(7)
assert(a == math.random(1000000))
