return lesson {
  id = "images-function", chapter = "c", level = "easy", minutes = 5, images = { function() end },
  steps = {
    step "one" { check = function() end },
  },
}
