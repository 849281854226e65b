-- expect: ok
local objects = { 1, 1.5, true, false, {}, "x", function() end, coroutine.create(function() end) }
for _, object in pairs(objects) do
  local ok, err = pcall(error, object)
  assert(not ok and err == object)
end
local ok, err = pcall(error)
assert(not ok and err == nil)
