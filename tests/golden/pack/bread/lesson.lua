return lesson {
  id = "bread", chapter = "kitchen", level = "intermediate", minutes = 10, after = { "soup" }, needs = { "configmaps" }, images = {},
  steps = { step "bake" { ask = { choices = { "yes", "no" }, answer = "yes" } } },
}
