return course {
  title = t { en = "A course for tests", zh = "测试用的课程" },
  chapters = {
    { id = "kitchen", title = t { en = "The kitchen", zh = "厨房" }, lessons = { "soup", "bread" } },
  },
}
