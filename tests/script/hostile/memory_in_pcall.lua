-- expect: limit ~ "endless loop?"
-- each round fills the memory and is caught
while true do
  pcall(function() local t = {} while true do t[#t + 1] = {} end end)
end
