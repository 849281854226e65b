return lesson {
  id = "mutants-list", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { check = function() end, mutants = { function() end } },
  },
}
