-- mode: check
return { run = function(k, state)
  for i = 1, 201 do expect(true) end
end }
-- expect: error too_many_expectations.lua:3: the check states too many expectations
-- expect: 200 expectations
