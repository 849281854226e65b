return lesson {
  id = "soup", chapter = "kitchen", level = "beginner", minutes = 5, after = {}, needs = { "configmaps" }, images = {},
  steps = {
    step "guess" { ask = { choices = { "salt", "sugar" }, answer = "salt" } },
    step "cook" {
      final = true,
      setup = function() return { pot = "the big pot" } end,
      check = function(k)
        k:get("configmaps", "soup"):expect { data = { taste = "salty" } }
        expect(k:get("configmaps", "soup"):exists(), t { en = "The soup stands on the table", zh = "汤在桌上" })
      end,
      hint = function(k)
        if k:get("configmaps", "soup"):exists() then
          return t { en = "There is a soup. Taste it: `kubectl get configmap soup -o yaml`", zh = "汤有了，尝一尝：`kubectl get configmap soup -o yaml`" }
        end
      end,
      solve = function(k) k:apply "solution/soup.yaml" end,
    },
    step "serve" { ask = { choices = { "hot", "cold" }, answer = "hot" } },
  },
}
