-- mode: check
return { run = function(k, state)
  for i = 1, 201 do k:get("pods", "web-a"):expect { status = { phase = "Running" } } end
end }
-- expect: error too_many_expectations_of_patterns.lua:3: the check states too many expectations
-- expect: 200 expectations
