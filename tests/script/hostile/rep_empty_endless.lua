-- expect: ok
assert((""):rep(math.maxinteger) == "")
assert((""):rep(1e15, "") == "")
assert(not pcall(string.rep, "", math.maxinteger, "x"))
assert(not pcall(string.rep, "x", math.maxinteger))
assert(("ab"):rep(3, "-") == "ab-ab-ab" and ("x"):rep(-1) == "")
