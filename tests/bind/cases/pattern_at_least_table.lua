-- mode: check
return { run = function(k, state)
  k:get("deployments.apps", "web"):expect { spec = { replicas = at_least {} } }
end }
-- expect: error pattern_at_least_table.lua:3: at_least wants a number or a quantity ("250m")
