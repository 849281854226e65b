-- expect: ok
local function through_gsub(n) return (("x"):gsub("x", function() return through_gsub(n + 1) end)) end
local ok, err = pcall(through_gsub, 1)
assert(not ok)
local function through_sort(n) table.sort({ 1, 2, 3 }, function(a, b) through_sort(n + 1) return a < b end) end
assert(not pcall(through_sort, 1))
local function through_pcall(n) local ok, err = pcall(through_pcall, n + 1) if not ok then error(err, 0) end end
assert(not pcall(through_pcall, 1))
local mt = {}
mt.__tostring = function(self) return tostring(self) end
assert(not pcall(tostring, setmetatable({}, mt)))
mt.__index = function(t, k) return t[k + 1] end
assert(not pcall(function() return setmetatable({}, mt)[1] end))
local function wrapped(n) return coroutine.wrap(wrapped)(n + 1) end
assert(not pcall(wrapped, 1))
mt.__eq = function(a, b) return a == setmetatable({}, mt) end
assert(not pcall(function() return setmetatable({}, mt) == setmetatable({}, mt) end))
mt.__concat = function(a, b) return a .. b end
assert(not pcall(function() return setmetatable({}, mt) .. "x" end))
local t = {}
for _ = 1, 3000 do t = setmetatable({}, { __index = t }) end
assert(not pcall(function() return t.x end)) -- too long a chain
