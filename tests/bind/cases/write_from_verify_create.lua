-- mode: verify
return { run = function(k, state)
  k:create({})
end }
-- expect: error write_from_verify_create.lua:3: k:create changes the cluster: it belongs into setup, solve or cleanup, a check only reads
