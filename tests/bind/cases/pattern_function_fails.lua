-- mode: check
return { run = function(k, state)
  k:get("deployments.apps", "web"):expect { spec = { replicas = function(v) error("no good") end } }
end }
-- expect: error pattern_function_fails.lua:3: pattern_function_fails.lua:3: no good
