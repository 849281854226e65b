-- mode: check
-- state: {"uids":["a","b"],"n":3}
return { run = function(k, state)
  expect(state.uids[1] == "a" and state.n == 3 and #state.uids == 2, "1")
  local keys = {}
  for key in pairs(state) do keys[#keys + 1] = key end
  table.sort(keys)
  expect(table.concat(keys, ",") == "n,uids", "2")
end }
-- expect: passed
-- expect: holds :  |  |  | text 1/1
-- expect: holds :  |  |  | text 2/2
