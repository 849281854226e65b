-- mode: check
return { run = function(k, state)
  k:list("pods", { labels = 3 })
end }
-- expect: error list_selector_no_table.lua:3: bad argument #7 to 'list' (table expected, got number)
