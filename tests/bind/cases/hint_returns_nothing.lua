-- mode: check
return { run = function(k, state)
  return nil
end }
-- expect: passed
