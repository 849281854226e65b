-- expect: error ~ "too complex"
-- 137 s in the real library
local n = 28
return (("a"):rep(n)):find(("a?"):rep(n) .. ("a"):rep(n))
