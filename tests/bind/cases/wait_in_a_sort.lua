-- mode: check
return { run = function(k, state)
  table.sort({ 1, 2 }, function(a, b) return k:get("pods", "web-a"):exists() end)
end }
-- expect: error wait_in_a_sort.lua:3: this cannot wait here: call it from the step's function itself, not from inside a coroutine, a sort or a gsub / called from wait_in_a_sort.lua:3
