-- mode: check
local kept
return {
  first = function(k) kept = k:get("pods", "web-a") end,
  run = function(k) kept:exists() end,
}
-- expect: error object_kept_for_later.lua:5: this object belongs to a function that has ended: get it again with k:get
