-- expect: limit ~ "endless_loop.lua:2: the script"
while true do end
