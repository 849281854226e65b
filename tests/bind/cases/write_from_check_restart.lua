-- mode: check
return { run = function(k, state)
  k:restart("deployments.apps", "web")
end }
-- expect: error write_from_check_restart.lua:3: k:restart changes the cluster: it belongs into setup, solve or cleanup, a check only reads
