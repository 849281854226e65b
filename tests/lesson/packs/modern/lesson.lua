return lesson {
  id = "modern", chapter = "one", level = "easy", minutes = 5, since = "1.30",
  steps = {
    step "one" { check = function() expect(true) end },
    step "two" { since = "1.36", check = function() expect(true) end },
  },
}
