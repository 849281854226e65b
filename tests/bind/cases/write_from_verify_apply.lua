-- mode: verify
return { run = function(k, state)
  k:apply({})
end }
-- expect: error write_from_verify_apply.lua:3: k:apply changes the cluster: it belongs into setup, solve or cleanup, a check only reads
