-- expect: limit ~ "endless loop?"
local subject, pattern = ("a"):rep(5000), (".-"):rep(10) .. "b"
while true do pcall(string.find, subject, pattern) end
