-- mode: check
local kept
return {
  first = function(k) kept = expect(true) end,
  run = function(k) kept:points(3) end,
}
-- expect: error expectation_kept_for_later.lua:5: this expectation belongs to a function that has ended
