-- mode: check
return { run = function(k, state)
  k:delete_all("pods", { labels = { app = "web" } })
end }
-- expect: error write_from_check_delete_all.lua:3: k:delete_all changes the cluster: it belongs into setup, solve or cleanup, a check only reads
