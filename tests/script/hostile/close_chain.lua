-- expect: ok
-- closing inside closing is not counted on the C stack by Lua 5.4.4
local refused
local function make(inner)
  local mt = {}
  local value = setmetatable({}, mt)
  mt.__close = function() local ok, err = pcall(coroutine.close, inner) if not ok then refused = err end end
  local co = coroutine.create(function() local x <close> = value coroutine.yield() end)
  coroutine.resume(co)
  return co
end
local co = coroutine.create(function() end)
for _ = 1, 2000 do co = make(co) end
coroutine.close(co)
assert(refused:find("coroutine.close", 1, true))
