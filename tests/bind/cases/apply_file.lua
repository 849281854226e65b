-- mode: do
-- state: {"name":"box"}
return { run = function(k, state)
  k:apply "pod.yaml"
  expect(k:get("pods", "box"):at "metadata.labels.who" == "ann", "1")
end }
-- expect: passed
-- expect: holds :  |  |  | text 1/1
-- expect: sent PATCH /api/v1/namespaces/learn/pods/box {"apiVersion":"v1","kind":"Pod","metadata":{"name":"box","labels":{"who":"ann","where":"learn","left":"{{nothing}}","app.kubernetes.io/managed-by":"kubetutor","kubetutor.dev/lesson":"demo"},"namespace":"learn"},"spec":{"containers":[{"name":"c","image":"busybox:1.36"}]}}
