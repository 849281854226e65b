return lesson {
  id = "check-no-function", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" {
      check = 3,
    },
  },
}
