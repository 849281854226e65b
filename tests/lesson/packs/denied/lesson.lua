return lesson {
  id = "denied", chapter = "one", level = "easy", minutes = 5, needs = { "pods", "deployments.apps:create" },
  steps = { step "one" { check = function() expect(true) end } },
}
