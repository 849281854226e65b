-- mode: check
return { run = function(k, state)
  local pods = k:list("pods", { labels = { app = "web" } })
  expect(pods:count() == 3 and #pods:uids() == 3 and pods:uids()[1] == "pod-0", "1")
  expect(pods:first():name() == "web-a", "the one that is being deleted is passed over")
  expect(pods:ready():count() == 1 and pods:ready():first():name() == "web-a", "2")
  local names = {}
  for _, pod in ipairs(pods:items()) do names[#names + 1] = pod:name() end
  expect(table.concat(names, " ") == "web-0 web-a web-b", "3")
  pods:expect_count(3)
  pods:expect_count(at_least(4))
  pods:ready():expect_count(2)
  pods:expect { spec = { nodeName = "node-1" } }
  pods:each():expect { status = { phase = one_of { "Running", "Pending" } } }
end }
-- expect: failed
-- expect: holds :  |  |  | text 1/1
-- expect: holds :  |  |  | text the one that is being deleted is passed over/the one that is being deleted is passed over
-- expect: holds :  |  |  | text 2/2
-- expect: holds :  |  |  | text 3/3
-- expect: holds Pod app=web: number | 3 | 3
-- expect: fails Pod app=web: number | at least 4 | 3
-- expect: fails Pod app=web: ready | 2 | 1
-- expect: fails Pod web-0: spec.nodeName | "node-1" | "node-2"
-- expect: holds Pod web-a:  | {"spec":{"nodeName":"node-1"}} | as wanted
-- expect: holds Pod web-b:  | {"spec":{"nodeName":"node-1"}} | as wanted
-- expect: holds Pod web-0:  | {"status":{"phase":one of "Running", "Pending"}} | as wanted
-- expect: holds Pod web-a:  | {"status":{"phase":one of "Running", "Pending"}} | as wanted
-- expect: holds Pod web-b:  | {"status":{"phase":one of "Running", "Pending"}} | as wanted
