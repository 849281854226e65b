-- mode: check
local kept
return {
  first = function(k) kept = k:list("pods") end,
  run = function(k) kept:count() end,
}
-- expect: error set_kept_for_later.lua:5: this set belongs to a function that has ended: get it again with k:list
