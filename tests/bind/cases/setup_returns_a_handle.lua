-- mode: do
return { run = function(k, state)
  return { k:get("pods", "web-a") }
end }
-- expect: error the step's state must be plain values / a userdata cannot stand in an object (plain values and tables can)
