return lesson { id = "step-name-odd", chapter = "c", level = "easy", minutes = 5, steps = { step "../x" {} } }
