-- expect: ok
local ok, err = xpcall(error, function() error("again") end, "first")
assert(ok == false)
local deep = function(self) return function(...) return self(self)(...) end end
assert(xpcall(deep, function(m) return m end, deep) == true or true)
