return lesson {
  id = "unknown-ask-field", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { ask = { choices = { "a", "b" }, answer = "a", hint = "x" } },
  },
}
