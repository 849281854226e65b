-- mode: do
return { run = function(k, state)
  k:delete_all("pods")
end }
-- expect: error delete_all_unlabelled.lua:3: bad argument #2 to 'delete_all' (table expected, got nil)
