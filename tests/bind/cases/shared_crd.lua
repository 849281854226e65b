-- mode: do
return { run = function(k, state)
  k:shared_crd "crd.yaml"
  k:shared_crd "crd.yaml"
  local crd = k:get("customresourcedefinitions.apiextensions.k8s.io", "widgets.demo.kubetutor.dev")
  crd:expect { metadata = { annotations = { ["used-by.kubetutor.dev/learn.demo"] = "yes" } } }
end }
-- expect: passed
-- expect: holds CustomResourceDefinition widgets.demo.kubetutor.dev:  | {"metadata":{"annotations":{"used-by.kubetutor.dev/learn.demo":"yes"}}} | as wanted
-- expect: sent PATCH /apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.demo.kubetutor.dev {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.demo.kubetutor.dev","labels":{"app.kubernetes.io/managed-by":"kubetutor","kubetutor.dev/lesson":"demo"}},"spec":{"group":"demo.kubetutor.dev","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}
-- expect: sent PATCH /apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.demo.kubetutor.dev {"metadata":{"annotations":{"used-by.kubetutor.dev/learn.demo":"yes"}}}
-- expect: sent PATCH /apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.demo.kubetutor.dev {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.demo.kubetutor.dev","labels":{"app.kubernetes.io/managed-by":"kubetutor","kubetutor.dev/lesson":"demo"}},"spec":{"group":"demo.kubetutor.dev","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}
-- expect: sent PATCH /apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.demo.kubetutor.dev {"metadata":{"annotations":{"used-by.kubetutor.dev/learn.demo":"yes"}}}
