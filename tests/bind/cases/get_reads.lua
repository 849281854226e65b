-- mode: check
return { run = function(k, state)
  local d = k:get("deployments.apps", "web")
  expect(d:exists(), t { en = "there", zh = "在" })
  expect(d:name() == "web" and d:kind() == "Deployment" and d:namespace() == "learn")
  expect(d:at "spec.replicas" == 3)
  expect(d:at "spec.template.spec.containers[name=web].image" == "nginx:1.27")
  expect(d:at "spec.template.spec.containers[1].name" == "log")
  expect(d:at "spec.nothing.here" == nil)
  expect(d:at 'metadata.annotations["deployment.kubernetes.io/revision"]' == "3")
  expect(d:revisions() == 3 and d:has_condition "Available" and not d:has_condition "Progressing" and not d:has_condition "None")
  local labels = d:at "metadata.labels"
  expect(type(labels) == "table" and labels.app == "web")
end }
-- expect: passed
-- expect: holds :  |  |  | text there/在
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: holds :  |  | 
-- expect: holds :  |  | 
