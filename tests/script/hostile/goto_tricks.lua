-- expect: limit ~ "goto_tricks.lua"
local n = 0
::again::
n = n + 1
if n then goto again end
