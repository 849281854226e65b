-- expect: limit ~ "endless loop?"
local big = ("x"):rep(2000000)
while true do local s = big .. "y" end
