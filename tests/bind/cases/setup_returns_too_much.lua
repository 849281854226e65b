-- mode: do
return { run = function(k, state)
  return { text = ("x"):rep(300000) }
end }
-- expect: error the step's state is larger than 256 KiB
