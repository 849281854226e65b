-- mode: do
return { run = function(k, state)
  k:apply "/etc/passwd"
end }
-- expect: error apply_file_outside.lua:3: "/etc/passwd" must be a path inside the lesson's own folder / /etc/passwd
