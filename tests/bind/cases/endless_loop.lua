-- mode: check
return { run = function(k, state)
  while true do end
end }
-- expect: error endless_loop.lua:3: the script took more than 50000000 steps without waiting: an endless loop?
