return lesson {
  id = "one-choice", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { ask = { choices = { "a" }, answer = "a" } },
  },
}
