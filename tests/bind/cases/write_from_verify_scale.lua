-- mode: verify
return { run = function(k, state)
  k:scale("deployments.apps", "web", 2)
end }
-- expect: error write_from_verify_scale.lua:3: k:scale changes the cluster: it belongs into setup, solve or cleanup, a check only reads
