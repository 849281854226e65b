-- expect: ok
assert(_G._G == _G)
for _, name in ipairs { "pcall", "string", "_G", "setmetatable", "require", "tostring" } do
  assert(not pcall(function() _G[name] = nil end), name)
  assert(not pcall(rawset, _G, name, 1), name)
  assert(_G[name] ~= nil)
end
assert(not pcall(setmetatable, _G, {}))
assert(getmetatable(_G) == false)
mine = 3
mine = mine + 1
assert(mine == 4 and _G.mine == 4)
mine = nil
assert(mine == nil)
-- an environment of one's own is one's own affair
local function f() local _ENV = { x = 1 } return x end
assert(f() == 1)
local real_pcall = pcall
do local _ENV = setmetatable({}, { __index = function() return nil end }) y = 1 end
assert(y == nil and pcall == real_pcall)
