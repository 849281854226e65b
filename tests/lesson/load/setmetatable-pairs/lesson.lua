local l = { id = "setmetatable-pairs", chapter = "c", level = "easy", minutes = 5, steps = { step "one" {} } }
return lesson(setmetatable(l, { __pairs = function() while true do end end, __len = function() return 1e15 end }))
