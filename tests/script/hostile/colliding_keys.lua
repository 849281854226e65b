-- expect: limit
-- memory: 2097152
-- whole numbers that all fall into one place of a table
local t = {}
for i = 1, 1e9 do t[i * 131071 * 65535] = true end
