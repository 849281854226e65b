-- mode: do
return { run = function(k, state)
  k:apply "none.yaml"
end }
-- expect: error apply_file_missing.lua:3: cannot open none.yaml: No such file or directory / none.yaml
