-- expect: limit ~ "endless loop?"
while true do pcall(table.sort, { 3, 2, 1 }, function() while true do end end) end
