-- expect: ok
for _, name in ipairs { "string", "table", "math", "utf8", "coroutine" } do
  local library = _G[name]
  assert(type(library) == "table", name)
  assert(getmetatable(library) == false)
  assert(not pcall(setmetatable, library, {}))
  assert(not pcall(function() library.evil = 1 end))
  assert(not pcall(rawset, library, "evil", 1))
  assert(rawget(library, "evil") == nil and library.evil == nil)
  local seen = 0
  for key, value in pairs(library) do
    seen = seen + 1
    assert(library[key] == value)
  end
  assert(seen > 4)
  local iterate, state, first = pairs(library)
  assert(state == nil and first == nil)
  -- the iterator hands out entries only
  assert(type(iterate(nil, nil)) == "string")
end
