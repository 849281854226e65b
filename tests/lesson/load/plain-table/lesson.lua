return { id = "plain-table", chapter = "c", level = "easy", minutes = 5, steps = { step "one" {} } }
