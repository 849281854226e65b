-- expect: limit ~ "endless loop?"
-- each new thread begins a new count; so making one is paid for
while true do coroutine.wrap(function() for _ = 1, 300 do end end)() end
