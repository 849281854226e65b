-- mode: do
-- put: {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.demo.kubetutor.dev"},"spec":{"conversion":{"strategy":"None"},"group":"demo.kubetutor.dev","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}
return { run = function(k, state)
  k:shared_crd "crd.yaml"
end }
-- expect: passed
