-- mode: do
return { run = function(k, state)
  k:label("pods", "web-a", { colour = "blue" })
  k:label("pods", "web-a", { tier = false })
  k:annotate(k:get("pods", "web-a"), { note = "x" })
  local pod = k:get("pods", "web-a")
  expect(pod:at "metadata.labels.colour" == "blue" and pod:at "metadata.labels.tier" == nil and pod:at "metadata.annotations.note" == "x", "1")
  k:label("pods", "web-a", { colour = true })
end }
-- expect: error label_and_annotate.lua:8: k:label wants { name = "value", other = false }
-- expect: holds :  |  |  | text 1/1
-- expect: sent PATCH /api/v1/namespaces/learn/pods/web-a {"metadata":{"labels":{"colour":"blue"}}}
-- expect: sent PATCH /api/v1/namespaces/learn/pods/web-a {"metadata":{"labels":{"tier":null}}}
-- expect: sent PATCH /api/v1/namespaces/learn/pods/web-a {"metadata":{"annotations":{"note":"x"}}}
