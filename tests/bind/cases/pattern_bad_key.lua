-- mode: check
return { run = function(k, state)
  k:get("deployments.apps", "web"):expect { spec = { [true] = 1 } }
end }
-- expect: error pattern_bad_key.lua:3: a pattern's keys must be names, or 1, 2, 3 … for a list
