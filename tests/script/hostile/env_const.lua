-- expect: error ~ "env_const.lua:6: attempt to index a nil value"
-- CVE-2022-28805
local f = function()
  local _ENV <const> = {}
  X = 1
  return Y.Z.X()
end
f()
