-- mode: check
return { run = function(k, state)
  local co = coroutine.wrap(function() return k:get("pods", "web-a") end)
  co()
end }
-- expect: error wait_in_a_coroutine.lua:4: wait_in_a_coroutine.lua:3: this cannot wait here: call it from the step's function itself, not from inside a coroutine, a sort or a gsub
