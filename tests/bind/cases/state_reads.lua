-- mode: check
-- state: {"uids":["a","b"],"n":3}
return { run = function(k, state)
  expect(state.uids[1] == "a" and state.n == 3 and #state.uids == 2)
  local keys = {}
  for key in pairs(state) do keys[#keys + 1] = key end
  table.sort(keys)
  expect(table.concat(keys, ",") == "n,uids")
end }
-- expect: passed
-- expect: holds :  |  | 
-- expect: holds :  |  | 
