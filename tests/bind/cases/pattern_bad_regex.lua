-- mode: check
return { run = function(k, state)
  k:get("deployments.apps", "web"):expect { spec = { replicas = matches "(" } }
end }
-- expect: error pattern_bad_regex.lua:3: the pattern cannot be read: missing closing parenthesis, at character 2
