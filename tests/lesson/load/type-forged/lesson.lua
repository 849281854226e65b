return { ["$type"] = "lesson", id = "type-forged", chapter = "c", level = "easy", minutes = 5, steps = { { id = "one", ["$line"] = 1, check = { ["$function"] = 1 } } } }
