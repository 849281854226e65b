return lesson {
  id = "level-no-text", chapter = "c", level = 3, minutes = 5,
  steps = {
    step "one" { check = function() end },
  },
}
