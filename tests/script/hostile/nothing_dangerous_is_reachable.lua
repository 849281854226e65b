-- expect: ok
local names = { "load", "loadstring", "loadfile", "dofile", "io", "os", "debug", "collectgarbage", "package", "print", "warn", "module", "newproxy" }
for _, name in ipairs(names) do assert(_G[name] == nil, name) end
for _, name in ipairs { "dump", "pack", "unpack", "packsize" } do assert(string[name] == nil, name) end
assert(coroutine.wrap and not debug)
-- whatever can be reached through tables and metatables is on the list
local allowed = {}
for word in ([[assert error getmetatable ipairs next pairs rawequal rawget rawlen select tonumber type _VERSION rawset setmetatable tostring clock
  require pcall xpcall _G string table math utf8 coroutine]]):gmatch("%S+") do allowed[word] = true end
local seen = {}
local function walk(value)
  if type(value) ~= "table" or seen[value] then return end
  seen[value] = true
  for key, inner in pairs(value) do walk(inner) end
  assert(type(getmetatable(value)) ~= "table" or value == seen)
end
for name in pairs(allowed) do assert(_G[name] ~= nil, name) walk(_G[name]) end
