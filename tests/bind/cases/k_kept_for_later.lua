-- mode: check
local kept
return {
  first = function(k) kept = k end,
  run = function(k) kept:get("pods", "web-a") end,
}
-- expect: error k_kept_for_later.lua:5: this k belongs to a function that has ended: use the one that the function was given
