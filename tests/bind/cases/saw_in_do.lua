-- mode: do
return { run = function(k, state)
  k:get("pods", "web-a"):saw("status.phase", { "Running" })
end }
-- expect: error saw_in_do.lua:3: :saw needs the history that only a check has
