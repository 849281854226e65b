-- mode: verify
return { run = function(k, state)
  k:patch("pods", "web-a", {})
end }
-- expect: error write_from_verify_patch.lua:3: k:patch changes the cluster: it belongs into setup, solve or cleanup, a check only reads
