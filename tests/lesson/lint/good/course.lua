return course {
  title = t { en = "My course", zh = "我的课程" },
  chapters = {
    { id = "first-steps", title = t { en = "First steps", zh = "第一步" }, lessons = { "sample" } },
  },
}
