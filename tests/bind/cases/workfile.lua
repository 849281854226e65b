-- mode: check
return { run = function(k, state)
  local mine = k:workfile "mine.yaml"
  expect(mine.metadata.name == "mine" and mine.spec.replicas == 2, "1")
  local none, why = k:workfile "none.yaml"
  expect(none == nil and type(why) == "string", why)
  none, why = k:workfile "bad.yaml"
  expect(none == nil and type(why) == "string", why)
  none, why = k:workfile "../world.yaml"
  expect(none == nil and type(why) == "string", why)
end }
-- expect: passed
-- expect: holds :  |  |  | text 1/1
-- expect: holds :  |  |  | text cannot open none.yaml: No such file or directory/cannot open none.yaml: No such file or directory
-- expect: holds :  |  |  | text not valid YAML: mapping values are not allowed in this context/not valid YAML: mapping values are not allowed in this context
-- expect: holds :  |  |  | text "../world.yaml" must be a path inside the lesson's own folder/"../world.yaml" must be a path inside the lesson's own folder
