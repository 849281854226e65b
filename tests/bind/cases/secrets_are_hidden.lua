-- mode: check
return { run = function(k, state)
  local s = k:get("secrets", "login")
  s:expect({ data = { password = "wrong" } }, { secret = true, text = t { en = "the password", zh = "密码" } })
  s:expect({ data = { password = "aHVudGVyMg==" } }, { secret = true })
  s:expect { data = { password = secret "wrong", other = secret(any) } }
  s:expect { data = secret { password = "wrong" } }
end }
-- expect: failed
-- expect: fails Secret login: data.password | (hidden) | (hidden) | text the password/密码 | hidden
-- expect: holds Secret login:  | (hidden) | as wanted | hidden
-- expect: fails Secret login: data.other | (hidden) | (hidden)
-- expect: fails Secret login: data.password | (hidden) | (hidden)
-- expect: fails Secret login: data | (hidden) | (hidden)
