-- expect: limit ~ "endless loop?"
local function spin() while true do end end
local t = setmetatable({}, { __index = spin, __newindex = spin, __add = spin, __lt = spin, __eq = spin, __len = spin, __call = spin,
  __concat = spin, __tostring = spin, __unm = spin, __pairs = spin })
pcall(function() return t.x end)
pcall(function() t.x = 1 end)
pcall(tostring, t)
pcall(string.format, "%s", t)
pcall(table.concat, t)
pcall(pairs, t)
pcall(t)
