-- expect: limit ~ "needs more than the 8192 KiB"
local t = {}
for i = 1, 1e9 do t[i] = { i } end
