return lesson { id = "empty-steps", chapter = "c", level = "easy", minutes = 5, steps = {} }
