-- mode: check
return { run = function(k, state)
  k:read "broken.yaml"
end }
-- expect: error read_broken.lua:3: not valid YAML: did not find expected ',' or ']' / broken.yaml:2:2
