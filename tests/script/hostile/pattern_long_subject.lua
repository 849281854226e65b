-- expect: limit ~ "endless loop?"
local subject = ("a"):rep(2000000)
for _ = 1, 1000 do pcall(string.find, subject, ".-.-.-b") end
while true do pcall(string.gsub, subject, "a-b", "") end
