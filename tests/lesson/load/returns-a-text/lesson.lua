return "lesson"
