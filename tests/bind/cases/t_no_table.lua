-- mode: check
return { run = function(k, state)
  expect(true, t "x", "1")
end }
-- expect: error t_no_table.lua:3: bad argument #1 to 't' (table expected, got string)
