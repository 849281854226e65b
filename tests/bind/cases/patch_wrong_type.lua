-- mode: do
return { run = function(k, state)
  k:patch("pods", "web-a", {}, { type = "funny" })
end }
-- expect: error patch_wrong_type.lua:3: bad argument #4 to 'patch' (type is merge, json or strategic)
