-- expect: ok
local long = ("é"):rep(100000)
assert(utf8.len(long) == 100000)
pcall(utf8.codepoint, long, 1, -1)
pcall(utf8.char, table.unpack({}, 1, 100))
assert(not pcall(utf8.codepoint, long, 1, 1e9))
assert(not pcall(utf8.char, -1))
assert(not pcall(string.char, 256))
local n = 0
for _ in utf8.codes("aé中") do n = n + 1 end
assert(n == 3)
n = 0
for _ in ("aé中"):gmatch(utf8.charpattern) do n = n + 1 end
assert(n == 3)
