return lesson {
  id = "choice-without-text", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { ask = { choices = { "a", "b" }, answer = "a" } },
  },
}
