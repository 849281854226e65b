-- sample: one sentence on what the learner can do afterwards.
local function greeting(k) return k:get("configmaps", "greeting") end

return lesson {
  id = "sample", chapter = "first-steps", level = "beginner", minutes = 5, after = {},
  needs = { "configmaps" }, images = {},

  steps = {
    step "before" { ask = { choices = { "yes", "no" }, answer = "no" } },

    step "say-hello" {
      setup = function(k)
        if greeting(k):exists() then
          k:delete("configmaps", "greeting")
          k:wait_gone("configmaps", "greeting", 30)
        end
      end,
      ask = { choices = { "stored", "started" }, answer = "stored" },
      check = function(k) greeting(k):expect { data = { hello = "world" } } end,
      hint = function(k)
        if greeting(k):exists() and greeting(k):at "data.hello" ~= "world" then
          return t { en = "The ConfigMap is there, but under the key hello stands something else.",
                     zh = "ConfigMap有了，但自定义资源 hello 下面写的是别的。" }
        end
      end,
      solve = function(k) k:apply "files/greeting.yaml" end,
      mutants = {
        nothing = function() end,
        another_word = function(k)
          k:apply { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "greeting" }, data = { hello = "moon" } }
        end,
      },
    },
  },
}
