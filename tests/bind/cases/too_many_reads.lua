-- mode: check
return { run = function(k, state)
  for i = 1, 129 do k:get("pods", "pod-" .. i) end
end }
-- expect: error too_many_reads.lua:3: the check reads too many different things
