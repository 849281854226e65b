-- mode: check
return { run = function(k, state)
  local p = {}
  p.spec = p
  k:get("deployments.apps", "web"):expect(p)
end }
-- expect: error pattern_circle.lua:5: the pattern is nested too deeply
