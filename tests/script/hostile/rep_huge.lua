-- expect: error ~ "resulting string too large"
local s = ("x"):rep(1e9)
