-- mode: do
return { run = function(k, state)
  k:delete_all("pods", { labels = { app = "web" } })
  k:delete_all("pods", { labels = { app = "nobody" } })
  k:list("pods"):expect_count(1)
  k:delete_all("pods", {})
end }
-- expect: error delete_all.lua:6: bad argument #2 to 'delete_all' (labels = { … } must say which ones)
-- expect: holds Pod: number | 1 | 1
-- expect: sent DELETE /api/v1/namespaces/learn/pods/web-a {"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"pod-a"}}
-- expect: sent DELETE /api/v1/namespaces/learn/pods/web-b {"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"pod-b"}}
-- expect: sent DELETE /api/v1/namespaces/learn/pods/web-0 {"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"pod-0"}}
