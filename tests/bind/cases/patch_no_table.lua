-- mode: do
return { run = function(k, state)
  k:patch("pods", "web-a", "x")
end }
-- expect: error patch_no_table.lua:3: bad argument #3 to 'patch' (table expected, got string)
