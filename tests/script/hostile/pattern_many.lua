-- expect: limit
-- each pattern is compiled and held outside of Lua; the cap must see that
local i = 0
while true do
  i = i + 1
  string.find("x", ("[%w_]"):rep(150) .. i)
end
