-- mode: check
return { run = function(k, state)
  k:list("pods"):frist()
end }
-- expect: error set_has_no_such_function.lua:3: attempt to call a nil value (method 'frist')
