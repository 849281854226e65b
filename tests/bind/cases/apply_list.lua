-- mode: do
return { run = function(k, state)
  k:apply { { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "c" } }, { apiVersion = "v1", kind = "Namespace", metadata = { name = "n-" .. k.user } } }
end }
-- expect: passed
-- expect: sent PATCH /api/v1/namespaces/learn/configmaps/c {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","labels":{"app.kubernetes.io/managed-by":"kubetutor","kubetutor.dev/lesson":"demo"},"namespace":"learn"}}
-- expect: sent PATCH /api/v1/namespaces/n-ann {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n-ann","labels":{"app.kubernetes.io/managed-by":"kubetutor","kubetutor.dev/lesson":"demo"}}}
