-- mode: do
return { run = function(k, state)
  k:apply "two.yaml"
end }
-- expect: passed
-- expect: sent PATCH /api/v1/namespaces/learn/configmaps/one {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one","labels":{"app.kubernetes.io/managed-by":"kubetutor","kubetutor.dev/lesson":"demo"},"namespace":"learn"}}
-- expect: sent PATCH /api/v1/namespaces/learn/configmaps/two {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"two","namespace":"learn","labels":{"app.kubernetes.io/managed-by":"kubetutor","kubetutor.dev/lesson":"demo"}}}
