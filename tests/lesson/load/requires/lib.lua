return lesson {
  id = "requires", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { check = function() end },
  },
}
