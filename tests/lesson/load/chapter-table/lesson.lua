return lesson {
  id = "chapter-table", chapter = {}, level = "easy", minutes = 5,
  steps = {
    step "one" { check = function() end },
  },
}
