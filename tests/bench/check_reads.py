"""What a check costs when the cluster changed: 50 fields of one object, one by one and as one expectation of 50."""
from answers import *
from bench import *

NS, READS, ROUNDS = "bench", 50, 5000
ONE_BY_ONE = """
local paths, wanted = {}, {}
for i = 0, 49 do
  paths[i], wanted[i] = "spec.template.spec.containers[0].env[" .. i .. "].value", "value " .. i
end
return function(k)
  local web, wrong = k:get("deployments.apps", "web"), 0
  for i = 0, 49 do
    if web:at(paths[i]) ~= wanted[i] then wrong = wrong + 1 end
  end
  expect(wrong == 0, t { en = "every value is right", zh = "每个值都对" })
end
"""
SIMPLE = """
return function(k)
  local web, wrong = k:get("deployments.apps", "web"), 0
  for i = 1, 50 do
    if web:at "spec.replicas" ~= 3 then wrong = wrong + 1 end
  end
  expect(wrong == 0, t { en = "three replicas", zh = "三个副本" })
end
"""
AT_ONCE = """
local wanted = {}
for i = 0, 49 do wanted[#wanted + 1] = { value = "value " .. i } end
return function(k)
  k:get("deployments.apps", "web"):expect { spec = { template = { spec = { containers = { { env = wanted } } } } } }
end
"""
NONE = """
return function(k)
  expect(true, t { en = "nothing", zh = "无" })
end
"""

before_others()
with Folder() as folder, Answers(cluster_with(deployment("web", NS, READS), NS)) as server:
    kubeconfig = folder.kubeconfig(server)

    def run(what, lua, goal=""):
        found = measure("check_reads", kubeconfig, str(ROUNDS), folder.write("check.lua", lua))
        figure(what, statistics.median(found["check_us"]), "µs", goal)
        figure("  on the processor", statistics.median(found["cpu_us"]), "µs")
    run("a check that reads nothing", NONE)
    run("a check of 50 reads of one short path", SIMPLE, "goal: under 50")
    run("a check of 50 reads, each another path of six parts", ONE_BY_ONE, "goal: under 50")
    run("a check of one expectation with 50 values", AT_ONCE, "goal: under 50")
