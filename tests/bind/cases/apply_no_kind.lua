-- mode: do
return { run = function(k, state)
  k:apply { apiVersion = "v1" }
end }
-- expect: error apply_no_kind.lua:3: object 1 has no kind
