setmetatable({}, { __gc = function() while true do end end })
return lesson { id = "setmetatable-gc", chapter = "c", level = "easy", minutes = 5, steps = { step "one" {} } }
