-- mode: do
return { run = function(k, state)
  k:delete("pods", "web-b", { grace = 0, propagation = "Foreground" })
  k:delete(k:get("pods", "web-a"))
  k:delete("pods", "nobody")
  expect(not k:get("pods", "web-a"):exists() and not k:get("pods", "web-b"):exists(), "1")
  k:delete("pods", "x", { propagation = "Sideways" })
end }
-- expect: error delete.lua:7: bad argument #3 to 'delete' (propagation is Background, Foreground or Orphan)
-- expect: holds :  |  |  | text 1/1
-- expect: sent DELETE /api/v1/namespaces/learn/pods/web-b {"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground","gracePeriodSeconds":0}
-- expect: sent DELETE /api/v1/namespaces/learn/pods/web-a {"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"pod-a"}}
-- expect: sent DELETE /api/v1/namespaces/learn/pods/nobody {"kind":"DeleteOptions","apiVersion":"v1"}
