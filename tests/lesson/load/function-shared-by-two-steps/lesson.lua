local both = { a = function() end }
return lesson {
  id = "function-shared-by-two-steps", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { check = function() end, mutants = both },
    step "two" { check = function() end, mutants = both },
  },
}
