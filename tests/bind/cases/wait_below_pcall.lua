-- mode: check
return { run = function(k, state)
  local ok, pod = pcall(function() return k:get("pods", "web-a") end)
  expect(ok and pod:exists(), "a wait below pcall works")
  local fine, err = pcall(k.get, k, "pods")
  expect(not fine and tostring(err):find("bad argument", 1, true) ~= nil, tostring(err))
end }
-- expect: passed
-- expect: holds :  |  |  | text a wait below pcall works/a wait below pcall works
-- expect: holds :  |  |  | text bad argument #3 to '?' (string expected, got nil)/bad argument #3 to '?' (string expected, got nil)
