return lesson {
  id = "after-no-list", chapter = "c", level = "easy", minutes = 5, after = "nginx",
  steps = {
    step "one" { check = function() end },
  },
}
