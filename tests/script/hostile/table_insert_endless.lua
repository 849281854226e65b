-- expect: limit ~ "endless loop?"
local t = {}
for i = 1, 200000 do t[i] = i end
while true do table.insert(t, 1, 0) table.remove(t, 1) end
