-- expect: ok
local function clean(s) assert(not s:find("0x"), s) return s end
assert(clean(tostring({})) == "table")
assert(clean(tostring(print or tostring)) == "function")
assert(clean(tostring(coroutine.create(function() end))) == "thread")
assert(tostring(setmetatable({}, { __name = "pod" })) == "pod")
clean(string.format("%s %s %s", {}, tostring, coroutine.create(function() end)))
clean(select(2, pcall(function() return {} .. "" end)))
clean(select(2, pcall(function() return {} < {} end)))
clean(select(2, pcall(error, "x")))
clean(select(2, pcall(string.rep, {}, {})))
clean(select(2, pcall(table.concat, { {} })))
assert(select("#", math.randomseed()) == 0)
