local l = { id = "circle", chapter = "c", level = "easy", minutes = 5, steps = { step "one" {} } }
l.after = { l }
return lesson(l)
