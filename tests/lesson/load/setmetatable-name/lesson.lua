return lesson(setmetatable({ id = "setmetatable-name", chapter = "c", level = "easy", minutes = 5, steps = { step "one" {} } }, { __name = "kubetutor.handle", __metatable = "kubetutor.k" }))
