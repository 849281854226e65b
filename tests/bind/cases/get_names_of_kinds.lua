-- mode: check
return { run = function(k, state)
  for _, kind in ipairs { "deployments.apps", "deployment", "Deployment", "deployments" } do
    expect(k:get(kind, "web"):exists(), kind)
  end
end }
-- expect: passed
-- expect: holds :  |  |  | text deployments.apps/deployments.apps
-- expect: holds :  |  |  | text deployment/deployment
-- expect: holds :  |  |  | text Deployment/Deployment
-- expect: holds :  |  |  | text deployments/deployments
