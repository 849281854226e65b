-- mode: check
return { run = function(k, state)
  k:get("deployments.apps", "web"):expect { spec = { replicas = function(v) return k:get("pods", "web-a"):exists() end } }
end }
-- expect: error pattern_function_waits.lua:3: pattern_function_waits.lua:3: this cannot wait here: call it from the step's function itself, not from inside a coroutine, a sort or a gsub
