-- mode: do
-- put: {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.demo.kubetutor.dev"},"spec":{"group":"demo.kubetutor.dev","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget"},"versions":[{"name":"v1"}]}}
return { run = function(k, state)
  k:shared_crd "crd.yaml"
end }
-- expect: error prelude:69: the cluster has a definition widgets.demo.kubetutor.dev that somebody else made, and it is not the one of this lesson / called from shared_crd_that_differs.lua:4
