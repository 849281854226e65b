return lesson {
  id = "duplicate-step", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { check = function() end },
    step "one" { check = function() end },
  },
}
