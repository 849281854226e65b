local a
local b = a.b
