-- mode: do
return { run = function(k, state)
  local pod = k:get("pods", "web-a")
  k:delete("pods", "web-a")
  k:create { apiVersion = "v1", kind = "Pod", metadata = { name = "web-a" } }
  k:delete(pod)
end }
-- expect: passed
-- expect: sent DELETE /api/v1/namespaces/learn/pods/web-a {"kind":"DeleteOptions","apiVersion":"v1"}
-- expect: sent POST /api/v1/namespaces/learn/pods {"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-a","labels":{"app.kubernetes.io/managed-by":"kubetutor","kubetutor.dev/lesson":"demo"},"namespace":"learn"}}
-- expect: sent DELETE /api/v1/namespaces/learn/pods/web-a {"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"pod-a"}}
