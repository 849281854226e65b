-- mode: do
return { run = function(k, state)
  k:sh "true"
end }
-- expect: error sh_without_trust.lua:3: k:sh runs commands on this machine, and this pack was not trusted with that: write its folder into trusted-packs in kubetutor's configuration folder if you trust it
