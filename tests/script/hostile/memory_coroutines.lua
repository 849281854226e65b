-- expect: limit ~ "needs more than"
local all = {}
while true do
  local co = coroutine.create(function() coroutine.yield() end)
  coroutine.resume(co)
  all[#all + 1] = co
end
