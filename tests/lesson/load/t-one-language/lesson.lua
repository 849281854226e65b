local x = t { en = "only" }
return lesson {}
