-- mode: check
return { run = function(k, state)
  k:get("deployments.apps", "web"):expect { spec = { 1, 2, x = 3 } }
end }
-- expect: error pattern_mixed_keys.lua:3: a pattern's keys must be names, or 1, 2, 3 … for a list
