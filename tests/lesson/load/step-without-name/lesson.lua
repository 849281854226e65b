return lesson { id = "step-without-name", chapter = "c", level = "easy", minutes = 5, steps = { step {} } }
