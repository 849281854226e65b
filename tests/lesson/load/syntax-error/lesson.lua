return lesson {
  id = "syntax-error",
  steps = { step "one" { check = function( end } },
}
