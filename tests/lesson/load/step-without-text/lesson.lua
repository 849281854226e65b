return lesson {
  id = "step-without-text", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { check = function() end },
    step "two" { check = function() end },
  },
}
