-- expect: ok
-- the scheduler's own thread must not get into a script's hands
local co, main = coroutine.running()
assert(co == nil and main == true)
local inner = coroutine.wrap(function() return coroutine.running() end)
local thread, is_main = inner()
assert(type(thread) == "thread" and is_main == false)
assert(coroutine.status(thread) == "dead")
