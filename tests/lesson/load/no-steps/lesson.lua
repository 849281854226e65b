return lesson { id = "no-steps", chapter = "c", level = "easy", minutes = 5 }
