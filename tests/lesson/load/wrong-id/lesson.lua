return lesson { id = "other", chapter = "c", level = "easy", minutes = 5, steps = { step "one" {} } }
