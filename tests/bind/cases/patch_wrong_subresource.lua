-- mode: do
return { run = function(k, state)
  k:patch("pods", "web-a", {}, { subresource = "log" })
end }
-- expect: error patch_wrong_subresource.lua:3: bad argument #4 to 'patch' (subresource is status or scale)
