-- mode: check
return { run = function(k, state)
  expect(true, t { en = "only" })
end }
-- expect: error t_one_language.lua:3: t{} wants a text in both languages: t { en = "…", zh = "…" }; "zh" is missing
