-- mode: do
return { run = function(k, state)
  k:apply(3)
end }
-- expect: error apply_number.lua:3: bad argument #1 to 'apply' (table expected, got number)
