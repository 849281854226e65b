-- mode: do
return { run = function(k, state)
  local d = k:get("deploymnts.apps", "web")
  expect(not d:exists(), "nothing of an unknown kind")
  k:delete("deploymnts", "web")
end }
-- expect: error unknown_kind_in_do.lua:5: the server has no kind "deploymnts" (did you mean deployments.apps?)
-- expect: holds :  |  |  | text nothing of an unknown kind/nothing of an unknown kind
