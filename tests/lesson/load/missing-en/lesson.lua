return lesson {
  id = "missing-en", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { check = function() end },
  },
}
