return lesson {
  id = "text-is-a-link", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { check = function() end },
  },
}
