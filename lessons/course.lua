return course {
  title = t { en = "Kubernetes, from the first menu to your own chefs", zh = "Kubernetes：从第一份菜单到自己的厨师长" },
  chapters = {
    { id = "first-taste", title = t { en = "First taste", zh = "初尝" }, lessons = { "nginx", "self-healing" } },
    { id = "inside-a-pod", title = t { en = "Inside a Pod", zh = "Pod 里面" }, lessons = { "init-containers" } },
    { id = "extending", title = t { en = "Extending Kubernetes", zh = "扩展 Kubernetes" }, lessons = { "custom-resources" } },
  },
}
