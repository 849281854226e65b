-- mode: do
return { run = function(k, state)
  k:delete(k:list("pods", { labels = { app = "nobody" } }):first())
end }
-- expect: error delete_first_of_nothing.lua:3: bad argument #1 to 'delete' (there is no such object)
