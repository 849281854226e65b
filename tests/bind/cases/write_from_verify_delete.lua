-- mode: verify
return { run = function(k, state)
  k:delete("pods", "web-a")
end }
-- expect: error write_from_verify_delete.lua:3: k:delete changes the cluster: it belongs into setup, solve or cleanup, a check only reads
