-- mode: check
return { run = function(k, state)
  k:get("pods", "web-a"):expect {} :foo()
end }
-- expect: error expect_goes_on_to_nothing.lua:3: there is no function "foo" here
-- expect: holds Pod web-a:  | {} | as wanted
