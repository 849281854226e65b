-- expect: ok
assert(not pcall(select, 0))
assert(not pcall(select, math.mininteger, 1))
assert(select("#", select(2, 1, 2, 3)) == 2)
assert(select(-1, 1, 2, 3) == 3)
