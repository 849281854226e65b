-- mode: check
return { run = function(k, state)
  k:get("pods", "web-a"):saw("status.phase", "Running")
end }
-- expect: error saw_no_list.lua:3: bad argument #2 to 'saw' (table expected, got string)
