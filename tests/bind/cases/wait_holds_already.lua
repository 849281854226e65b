-- mode: verify
return { run = function(k, state)
  k:wait("pods", "web-a", "Ready")
  k:wait(k:get("deployments.apps", "web"), "Available", 5)
  k:wait("deployments.apps", "web", "RolledOut")
  k:wait("pods", "web-a", "phase=Running")
  k:wait_gone("pods", "nobody")
  k:sleep(0)
  expect(true, "1")
end }
-- expect: passed
-- expect: holds :  |  |  | text 1/1
