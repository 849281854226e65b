return lesson {
  id = "unknown-step-field", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { chek = function() end },
  },
}
