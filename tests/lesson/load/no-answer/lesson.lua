return lesson {
  id = "no-answer", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { ask = { choices = { "a", "b" } } },
  },
}
