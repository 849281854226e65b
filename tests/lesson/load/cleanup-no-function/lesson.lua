return lesson {
  id = "cleanup-no-function", chapter = "c", level = "easy", minutes = 5, cleanup = "x",
  steps = {
    step "one" { check = function() end },
  },
}
