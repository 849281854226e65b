return lesson { id = "step-no-table", chapter = "c", level = "easy", minutes = 5, steps = { step "one" "two" } }
