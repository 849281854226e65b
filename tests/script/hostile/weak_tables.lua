-- expect: limit
-- memory: 4194304
-- a chain through tables with weak keys makes a collection walk them again and again
local mt = { __mode = "k" }
local keys, order = {}, {}
for i = 1, 9000 do keys[i], order[i] = {}, i end
for i = 1, 9000 do
  local j = math.random(9000)
  order[i], order[j] = order[j], order[i]
end
local chain = {}
for i = 1, 8999 do
  local table = setmetatable({}, mt)
  table[keys[order[i]]] = keys[order[i + 1]]
  chain[order[i]] = table
end
chain[order[1]] = { [keys[order[1]]] = keys[order[2]] }
keys = nil
while true do local s = ("x"):rep(100000) end
