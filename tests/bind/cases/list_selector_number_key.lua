-- mode: check
return { run = function(k, state)
  k:list("pods", { labels = { "app" } })
end }
-- expect: error list_selector_number_key.lua:3: a selector is { name = value, … } with at most 32 names
