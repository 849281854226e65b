-- mode: do
return { run = function(k, state)
  return "hello"
end }
-- expect: passed
-- expect: says hello/hello
