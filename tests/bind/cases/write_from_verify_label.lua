-- mode: verify
return { run = function(k, state)
  k:label("pods", "web-a", {})
end }
-- expect: error write_from_verify_label.lua:3: k:label changes the cluster: it belongs into setup, solve or cleanup, a check only reads
