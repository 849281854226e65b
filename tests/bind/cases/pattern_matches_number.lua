-- mode: check
return { run = function(k, state)
  k:get("deployments.apps", "web"):expect { spec = { replicas = matches(3) } }
end }
-- expect: error pattern_matches_number.lua:3: matches wants a regular expression in quotes
