-- mode: check
return { run = function(k, state)
  k:list("pods", { labels = { app = {} } })
end }
-- expect: error list_selector_wrong.lua:3: a selector's values are texts, true (the label exists) or false (it does not)
