return lesson {
  id = "text-without-step", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { check = function() end },
  },
}
