-- mode: do
local kept
return {
  first = function(k) kept = k:get("pods", "web-a") end,
  run = function(k) k:delete(kept) end,
}
-- expect: error object_kept_is_no_target.lua:5: this object belongs to a function that has ended: get it again with k:get
