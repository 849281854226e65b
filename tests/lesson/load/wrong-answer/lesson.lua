return lesson {
  id = "wrong-answer", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { ask = { choices = { "a", "b" }, answer = "c" } },
  },
}
