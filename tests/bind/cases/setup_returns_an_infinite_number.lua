-- mode: do
return { run = function(k, state)
  return { n = 1 / 0 }
end }
-- expect: error the step's state must be plain values / a number that is not finite cannot be sent to a cluster
