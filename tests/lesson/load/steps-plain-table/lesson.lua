return lesson {
  id = "steps-plain-table", chapter = "c", level = "easy", minutes = 5,
  steps = {
    { check = function() end },
  },
}
