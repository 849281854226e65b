return lesson {
  id = "ask-no-table", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { ask = "what" },
  },
}
