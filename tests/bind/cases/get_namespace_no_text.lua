-- mode: check
return { run = function(k, state)
  k:get("pods", "web-a", { namespace = 3 })
end }
-- expect: error get_namespace_no_text.lua:3: option namespace must be a text
