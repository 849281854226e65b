-- expect: limit ~ "memory_doubling.lua:3: the script needs more than the 8192 KiB"
local s = "x"
while true do s = s .. s end
