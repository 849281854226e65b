return lesson {
  id = "level-function", chapter = "c", level = function() end, minutes = 5,
  steps = {
    step "one" { check = function() end },
  },
}
