-- expect: limit ~ "endless loop?"
local mt = {}
local value = setmetatable({}, mt)
mt.__close = function() while true do end end
local co = coroutine.create(function() local x <close> = value coroutine.yield() end)
coroutine.resume(co)
while true do pcall(coroutine.close, co) end
