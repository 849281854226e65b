-- mode: check
return { run = function(k, state)
  k:get("pods", "web-a"):at "spec.containers["
end }
-- expect: error at_malformed.lua:3: path "spec.containers[": an index, a quoted key or name=value was expected at the end
