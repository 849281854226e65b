-- expect: limit ~ "endless loop?"
-- made before, resumed later, and each of them short
local made = {}
for i = 1, 100 do made[i] = coroutine.create(function() while true do for _ = 1, 200 do end coroutine.yield() end end) end
while true do for i = 1, 100 do coroutine.resume(made[i]) end end
