lesson { id = "no-return", chapter = "c", level = "easy", minutes = 5, steps = { step "one" {} } }
