local l = setmetatable({ id = "setmetatable-index", chapter = "c", level = "easy", minutes = 5 }, { __index = function(_, key) return { step "one" {} } end })
return lesson(l)
