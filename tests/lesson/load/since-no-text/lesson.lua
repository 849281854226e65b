return lesson {
  id = "since-no-text", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { since = 1.29 },
  },
}
