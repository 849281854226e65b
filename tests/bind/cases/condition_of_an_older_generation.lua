-- mode: check
-- put: {"apiVersion":"v1","kind":"Pod","metadata":{"name":"old"},"spec":{},"status":{"observedGeneration":0,"conditions":[{"type":"Ready","status":"True"}]}}
return { run = function(k, state)
  k:get("pods", "old"):condition "Ready"
  expect(not k:get("pods", "old"):has_condition "Ready", "1")
end }
-- expect: failed
-- expect: fails Pod old: status.conditions[type=Ready].status | True | True, but of an older generation
-- expect: holds :  |  |  | text 1/1
