local x = nil
return x.y
