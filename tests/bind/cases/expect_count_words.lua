-- mode: check
return { run = function(k, state)
  k:list("pods"):expect_count "three"
end }
-- expect: failed
-- expect: fails Pod: number | "three" | 3
