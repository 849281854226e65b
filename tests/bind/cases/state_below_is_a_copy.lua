-- mode: check
-- state: {"uids":["a"]}
return {
  first = function(k, state) state.uids[1] = "b" end,
  run = function(k, state) expect(state.uids[1] == "a", "the stored one is not changed") end,
}
-- expect: passed
-- expect: holds :  |  |  | text the stored one is not changed/the stored one is not changed
