-- mode: check
return { run = function(k, state)
  k:read "../world.yaml"
end }
-- expect: error read_outside.lua:3: "../world.yaml" must be a path inside the lesson's own folder / ../world.yaml
