-- mode: check
return { run = function(k, state)
  expect(k.namespace == "learn" and k.user == "ann" and k.lesson == "demo", "1")
  k.namespace = "x"
end }
-- expect: error fields_of_k.lua:4: attempt to index a kubetutor.k value (local 'k')
-- expect: holds :  |  |  | text 1/1
