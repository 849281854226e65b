-- mode: check
return { run = function(k, state)
  k.get("pods", "web-a")
end }
-- expect: error not_with_a_dot.lua:3: bad argument #1 to 'get' (kubetutor.k expected, got string)
