-- mode: check
return { run = function(k, state)
  local d = k:get("deployments.apps", "web")
  d:expect({ spec = { replicas = 2 } }, t { en = "two of them", zh = "两个" })
  d:expect({ spec = { replicas = 3 } }, { text = t { en = "three", zh = "三个" } }):points(5)
  d:expect { spec = { replicas = 3 } }:explain(t { en = "said later", zh = "后说" }):points(0)
  expect(false, "one for both")
end }
-- expect: failed
-- expect: fails Deployment web: spec.replicas | 2 | 3 | text two of them/两个
-- expect: holds Deployment web:  | {"spec":{"replicas":3}} | as wanted | text three/三个 | points 5
-- expect: holds Deployment web:  | {"spec":{"replicas":3}} | as wanted | text said later/后说 | points 0
-- expect: fails :  |  |  | text one for both/one for both
