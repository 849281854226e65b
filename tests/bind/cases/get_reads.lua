-- mode: check
return { run = function(k, state)
  local d = k:get("deployments.apps", "web")
  expect(d:exists(), t { en = "there", zh = "在" })
  expect(d:name() == "web" and d:kind() == "Deployment" and d:namespace() == "learn", "1")
  expect(d:at "spec.replicas" == 3, "2")
  expect(d:at "spec.template.spec.containers[name=web].image" == "nginx:1.27", "3")
  expect(d:at "spec.template.spec.containers[1].name" == "log", "4")
  expect(d:at "spec.nothing.here" == nil, "5")
  expect(d:at 'metadata.annotations["deployment.kubernetes.io/revision"]' == "3", "6")
  expect(d:revisions() == 3 and d:has_condition "Available" and not d:has_condition "Progressing" and not d:has_condition "None", "7")
  local labels = d:at "metadata.labels"
  expect(type(labels) == "table" and labels.app == "web", "8")
end }
-- expect: passed
-- expect: holds :  |  |  | text there/在
-- expect: holds :  |  |  | text 1/1
-- expect: holds :  |  |  | text 2/2
-- expect: holds :  |  |  | text 3/3
-- expect: holds :  |  |  | text 4/4
-- expect: holds :  |  |  | text 5/5
-- expect: holds :  |  |  | text 6/6
-- expect: holds :  |  |  | text 7/7
-- expect: holds :  |  |  | text 8/8
