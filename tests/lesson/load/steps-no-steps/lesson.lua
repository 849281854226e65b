return lesson {
  id = "steps-no-steps", chapter = "c", level = "easy", minutes = 5,
  steps = {
    { id = "one" },
    3,
  },
}
