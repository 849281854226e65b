-- mode: check
-- state: {"name":"box"}
return { run = function(k, state)
  local pod = k:read "pod.yaml"
  expect(pod.kind == "Pod" and pod.metadata.name == "box" and pod.metadata.labels.who == "ann" and pod.metadata.labels.where == "learn", "1")
  expect(pod.metadata.labels.left == "{{nothing}}", "2")
  expect(k:read("two.yaml").metadata.name == "one", "the first of several")
end }
-- expect: passed
-- expect: holds :  |  |  | text 1/1
-- expect: holds :  |  |  | text 2/2
-- expect: holds :  |  |  | text the first of several/the first of several
