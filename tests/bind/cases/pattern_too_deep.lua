-- mode: check
return { run = function(k, state)
  local p = {}
  local at = p
  for i = 1, 60 do at.a = {} at = at.a end
  k:get("deployments.apps", "web"):expect(p)
end }
-- expect: error pattern_too_deep.lua:6: the pattern is nested too deeply
