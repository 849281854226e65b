return lesson {
  id = "unknown-field", chapter = "c", level = "easy", minutes = 5, colour = "red",
  steps = {
    step "one" { check = function() end },
  },
}
