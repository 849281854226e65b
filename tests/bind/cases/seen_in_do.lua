-- mode: do
return { run = function(k, state)
  k:expect_seen("pods", "web-a", {})
end }
-- expect: error seen_in_do.lua:3: k:expect_seen needs the history that only a check has
