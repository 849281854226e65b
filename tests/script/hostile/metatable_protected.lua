-- expect: error ~ "cannot change a protected metatable"
local t = setmetatable({}, { __metatable = "mine" })
assert(getmetatable(t) == "mine")
setmetatable(t, nil)
