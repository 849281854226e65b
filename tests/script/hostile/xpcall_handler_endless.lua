-- expect: limit ~ "endless loop?"
-- the handler of a budget error would run inside the hook, where nothing ticks
xpcall(function() while true do end end, function() while true do end end)
