-- mode: do
return { run = function(k, state)
  k:apply()
end }
-- expect: error apply_nothing.lua:3: bad argument #1 to 'apply' (value expected)
