-- mode: do
return { run = function(k, state)
  k:apply { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "c", labels = { mine = "yes" } }, data = { a = "1" } }
end }
-- expect: passed
-- expect: sent PATCH /api/v1/namespaces/learn/configmaps/c {"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"labels":{"mine":"yes","app.kubernetes.io/managed-by":"kubetutor","kubetutor.dev/lesson":"demo"},"name":"c","namespace":"learn"}}
