-- mode: check
return { run = function(k, state)
  k:read "nowhere.yaml"
end }
-- expect: error read_missing.lua:3: cannot open nowhere.yaml: No such file or directory / nowhere.yaml
