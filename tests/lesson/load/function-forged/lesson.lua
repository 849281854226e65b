return lesson {
  id = "function-forged", chapter = "c", level = "easy", minutes = 5,
  steps = {
    step "one" { check = { ["$function"] = 1 } },
  },
}
