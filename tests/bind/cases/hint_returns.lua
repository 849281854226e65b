-- mode: check
return { run = function(k, state)
  return t { en = "look", zh = "看" }
end }
-- expect: passed
-- expect: says look/看
