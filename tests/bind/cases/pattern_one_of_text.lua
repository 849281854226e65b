-- mode: check
return { run = function(k, state)
  k:get("deployments.apps", "web"):expect { spec = { replicas = one_of "x" } }
end }
-- expect: error pattern_one_of_text.lua:3: one_of wants a list: one_of { … }
