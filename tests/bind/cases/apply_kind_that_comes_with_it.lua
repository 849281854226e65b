-- mode: do
return { run = function(k, state)
  k:apply "crd-and-widget.yaml"
  expect(k:get("widgets.demo.kubetutor.dev", "first"):at "spec.size" == 3, "1")
end }
-- expect: passed
-- expect: holds :  |  |  | text 1/1
-- expect: sent PATCH /apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.demo.kubetutor.dev {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.demo.kubetutor.dev","labels":{"app.kubernetes.io/managed-by":"kubetutor","kubetutor.dev/lesson":"demo"}},"spec":{"group":"demo.kubetutor.dev","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}
-- expect: sent PATCH /apis/demo.kubetutor.dev/v1/namespaces/learn/widgets/first {"apiVersion":"demo.kubetutor.dev/v1","kind":"Widget","metadata":{"name":"first","labels":{"app.kubernetes.io/managed-by":"kubetutor","kubetutor.dev/lesson":"demo"},"namespace":"learn"},"spec":{"size":3}}
