return lesson {
  id = "mutants-no-functions", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { check = function() end, mutants = { bad = 3 } },
  },
}
