-- mode: check
return { run = function(k, state)
  local pods = k:list("pods", { labels = { app = "web" } })
  pods:expect_count(3):each():expect { spec = { nodeName = any } }
  if pods:expect_count(9):holds() then expect(false) end
  if k:get("pods", "web-a"):expect { status = { phase = "Running" } }:holds() then expect(true, "reached") end
  k:get("pods", "web-a"):expect { status = { phase = "Running" } }:condition "Ready"
end }
-- expect: failed
-- expect: holds Pod app=web: number | 3 | 3
-- expect: holds Pod web-0:  | {"spec":{"nodeName":present}} | as wanted
-- expect: holds Pod web-a:  | {"spec":{"nodeName":present}} | as wanted
-- expect: holds Pod web-b:  | {"spec":{"nodeName":present}} | as wanted
-- expect: fails Pod app=web: number | 9 | 3
-- expect: holds Pod web-a:  | {"status":{"phase":"Running"}} | as wanted
-- expect: holds :  |  |  | text reached/reached
-- expect: holds Pod web-a: status.conditions[type=Ready].status | True | True
