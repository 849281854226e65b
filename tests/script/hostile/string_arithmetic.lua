-- expect: ok
assert("10" + 5 == 15 and "0x10" * 1 == 16)
assert(not pcall(function() return "x" + 1 end))
assert(math.maxinteger + 1 == math.mininteger)
assert(not pcall(function() return 1 // 0 end) and not pcall(function() return 1 % 0 end))
assert(not pcall(function() for i = 1, 10, 0 do end end))
