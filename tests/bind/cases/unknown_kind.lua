-- mode: check
return { run = function(k, state)
  local d = k:get("deploymnts.apps", "web")
  expect(not d:exists() and d:kind() == "deploymnts.apps", "1")
  d:expect { spec = { replicas = 3 } }
  d:condition "Available"
  k:list("deploymnts.apps"):expect_count(3)
  k:list("deploymnts.apps"):expect { a = 1 }
  k:expect_absent("deploymnts.apps", "web")
  k:expect_seen("deploymnts.apps", "web", {})
end }
-- expect: failed
-- expect: holds :  |  |  | text 1/1
-- expect: fails deploymnts.apps web:  | there | a kind that this cluster does not have
-- expect: fails deploymnts.apps: number | 3 | 0
-- expect: fails deploymnts.apps:  | at least one object | none
-- expect: holds deploymnts.apps web:  | gone | gone
-- expect: fails deploymnts.apps web: seen in this step | {} | not seen | history
-- expect: again later
