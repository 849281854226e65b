return course { title = t { en = "a", zh = "b" } }
