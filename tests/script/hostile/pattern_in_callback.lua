-- expect: ok
-- callbacks that push their caller's pattern out of the cache
local n = 0
local out = ("abc"):rep(50):gsub("(%w)", function(c)
  for i = 1, 70 do n = n + 1 string.find("x", "[%a]" .. n) end
  return c:upper()
end)
assert(out == ("ABC"):rep(50))
for a in ("one two"):gmatch("%a+") do
  for i = 1, 70 do n = n + 1 string.find("x", "[%a]" .. n) end
end
