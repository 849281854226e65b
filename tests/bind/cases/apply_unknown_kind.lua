-- mode: do
return { run = function(k, state)
  k:apply { apiVersion = "v1", kind = "Pood", metadata = { name = "x" } }
end }
-- expect: error apply_unknown_kind.lua:3: the server has no kind "Pood" in v1 (did you mean Pod in v1?)
