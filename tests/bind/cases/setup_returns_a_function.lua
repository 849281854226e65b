-- mode: do
return { run = function(k, state)
  return { f = function() end }
end }
-- expect: error the step's state must be plain values / a function cannot stand in an object (plain values and tables can)
