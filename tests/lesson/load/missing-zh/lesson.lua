return lesson {
  id = "missing-zh", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { check = function() end },
  },
}
