-- expect: limit ~ "endless loop?"
local function nest(depth)
  if depth == 0 then for _ = 1, 300 do end return end
  for _ = 1, 100 do coroutine.wrap(nest)(depth - 1) end
end
while true do nest(10) end
