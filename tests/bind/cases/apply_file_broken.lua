-- mode: do
return { run = function(k, state)
  k:apply "broken.yaml"
end }
-- expect: error apply_file_broken.lua:3: not valid YAML: did not find expected ',' or ']' / broken.yaml:2:2
