-- mode: verify
return { run = function(k, state)
  k:annotate("pods", "web-a", {})
end }
-- expect: error write_from_verify_annotate.lua:3: k:annotate changes the cluster: it belongs into setup, solve or cleanup, a check only reads
