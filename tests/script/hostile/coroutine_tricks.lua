-- expect: ok
local co
co = coroutine.create(function() return coroutine.resume(co) end)
local ok, inner, message = coroutine.resume(co)
assert(ok and inner == false and message:find("non%-suspended", 1))
assert(select(2, coroutine.resume(co)) == "cannot resume dead coroutine")
-- a resumes b, b resumes a
local a, b
a = coroutine.create(function() return coroutine.resume(b) end)
b = coroutine.create(function() return coroutine.resume(a) end)
assert(coroutine.resume(a))
-- close: suspended, dead, running, normal
local c = coroutine.create(function() coroutine.yield() end)
coroutine.resume(c)
assert(coroutine.close(c) == true and coroutine.status(c) == "dead")
local d = coroutine.create(function() error({}) end)
coroutine.resume(d)
assert(coroutine.close(d) == false)
assert(not pcall(coroutine.wrap(function() coroutine.close((coroutine.running())) end)))
-- values of all counts
assert(select("#", coroutine.wrap(function(...) return ... end)(nil, nil, nil)) == 3)
local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
assert(gen() == 1 and gen() == 2 and gen() == 3 and gen() == nil)
assert(not pcall(gen))
-- errors through wrap keep their objects
local object = {}
local _, err = pcall(coroutine.wrap(function() error(object) end))
assert(err == object)
