-- expect: limit ~ "lib/endless.lua:1"
pcall(require, "lib.endless")
while true do pcall(require, "lib.endless") end
