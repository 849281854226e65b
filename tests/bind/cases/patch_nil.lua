-- mode: do
return { run = function(k, state)
  k:patch(nil, {})
end }
-- expect: error patch_nil.lua:3: bad argument #1 to 'patch' (an object or a kind is wanted, this is nil (does the object exist?))
