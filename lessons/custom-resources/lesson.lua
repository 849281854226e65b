-- custom-resources: objects of a kind that Kubernetes does not know by itself: refused when wrong, status and scale apart from the
-- object, held back by finalizers, and who may do what with them. The definition itself is shared: crd.yaml is never changed by a learner.
local FEASTS = "feasts.kubetutor.dev"
local CRDS = "customresourcedefinitions.apiextensions.k8s.io"
local ROLES, BINDINGS = "roles.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io"
local WASH_UP = "kubetutor.dev/wash-up"

local function feast(k, name) return k:get(FEASTS, name) end
local function teach_the_word(k) k:shared_crd "files/crd.yaml" end

local function set_status(k, name, served)
  k:patch(FEASTS, name, { status = { served = served } }, { type = "merge", subresource = "status" })
end

local function release(k, name)
  if feast(k, name):at "metadata.finalizers" then
    k:patch(FEASTS, name, { { op = "remove", path = "/metadata/finalizers" } }, { type = "json" })
  end
end

-- Also one whose deletion waits for a finalizer.
local function without(k, name)
  release(k, name)
  if feast(k, name):exists() then k:delete(FEASTS, name) end
  k:wait_gone(FEASTS, name, 30)
end

local function lay_wedding(k, served)
  teach_the_word(k)
  without(k, "wedding")
  k:apply "files/wedding.yaml"
  if served then set_status(k, "wedding", served) end
  return { uid = feast(k, "wedding"):at "metadata.uid", generation = feast(k, "wedding"):at "metadata.generation" }
end

local function made_anew(k, state)
  local wedding = feast(k, "wedding")
  if not wedding:exists() then
    return t { en = "There is no Feast called wedding any more. Start the step again.", zh = "名为 wedding 的 Feast 没有了。请重新开始这一步。" }
  end
  if wedding:at "metadata.uid" ~= state.uid then
    return t { en = "This wedding was made anew. The one that stood is meant: start the step again.",
               zh = "这个 wedding 是重新创建的，要改的是原来那个。请重新开始这一步。" }
  end
end

local function has(list, wanted)
  for _, item in ipairs(list or {}) do
    if item == wanted or item == "*" then return true end
  end
  return false
end

-- What a Role allows, as the API server reads it: some rule names the group, the resource and the verb.
local function allows(role, verb, resource)
  for _, rule in ipairs(role:at "rules" or {}) do
    if has(rule.apiGroups, "kubetutor.dev") and has(rule.resources, resource) and has(rule.verbs, verb) then return true end
  end
  return false
end

local function allows_any(role, verbs, resource)
  for _, verb in ipairs(verbs) do
    if allows(role, verb, resource) then return true end
  end
  return false
end

local CHANGES = { "create", "update", "patch", "delete", "deletecollection" }

-- solution/chef.yaml with other rules.
local function give_chef(k, rules)
  k:apply "solution/chef.yaml"
  k:patch(ROLES, "feast-chef", { rules = rules }, { type = "merge" })
end
local function rule(resource, verbs) return { apiGroups = { "kubetutor.dev" }, resources = { resource }, verbs = verbs } end

return lesson {
  id = "custom-resources", chapter = "extending", level = "intermediate", minutes = 20, after = { "self-healing" },
  needs = { "customresourcedefinitions.apiextensions.k8s.io:get,create,patch,delete", "feasts.kubetutor.dev", "serviceaccounts",
            "roles.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io", FEASTS },
  scope = "cluster",

  steps = {
    step "new-word" { setup = teach_the_word, ask = { choices = { "none", "one", "two" }, answer = "two" } },

    step "order" {
      setup = function(k)
        teach_the_word(k)
        without(k, "wedding")
      end,
      ask = { choices = { "pods", "nothing", "pending" }, answer = "nothing" },
      check = function(k)
        feast(k, "wedding"):expect {
          metadata = { deletionTimestamp = absent },
          spec = { dish = "dumplings", tables = 3 },
          status = absent,
        }
      end,
      hint = function(k)
        local tables = feast(k, "wedding"):at "spec.tables"
        if tables and tables ~= 3 then
          return t { en = ("This wedding has %d tables; the one in wedding.yaml has 3."):format(tables),
                     zh = ("这个 wedding 是 %d 桌，wedding.yaml 里写的是 3 桌。"):format(tables) }
        end
      end,
      solve = function(k) k:apply "files/wedding.yaml" end,
      mutants = {
        nothing = function() end,
        another_name = function(k) k:apply "solution/banquet.yaml" end,
        one_table_short = function(k)
          k:apply { apiVersion = "kubetutor.dev/v1", kind = "Feast", metadata = { name = "wedding" }, spec = { dish = "dumplings", tables = 2 } }
        end,
      },
    },

    step "refused" {
      setup = function(k)
        teach_the_word(k)
        without(k, "banquet")
      end,
      ask = { choices = { "stored", "corrected", "refused" }, answer = "refused" },
      check = function(k)
        feast(k, "banquet"):expect {
          metadata = { deletionTimestamp = absent },
          spec = { dish = "dumplings", tables = 8, guests = absent },
        }
      end,
      hint = function(k)
        local banquet = feast(k, "banquet")
        if banquet:exists() and banquet:at "spec.tables" == 2 then
          return t { en = "A banquet of 2 tables: the line with `tables` is missing or misspelt, so the default was put in. It should be 8.",
                     zh = "这个 banquet 只有 2 桌：`tables` 一行没写或者写错了，于是填上了默认值。应该是 8 桌。" }
        end
        if banquet:exists() and banquet:at "spec.dish" ~= "dumplings" then
          return t { en = "The banquet was to have dumplings; only the spelling was wrong.", zh = "宴会要的是饺子（dumplings），只是写法不对。" }
        end
      end,
      solve = function(k) k:apply "solution/banquet.yaml" end,
      mutants = {
        nothing = function() end,
        another_dish = function(k)
          k:apply { apiVersion = "kubetutor.dev/v1", kind = "Feast", metadata = { name = "banquet" }, spec = { dish = "soup", tables = 8 } }
        end,
        tables_left_out = function(k)
          k:apply { apiVersion = "kubetutor.dev/v1", kind = "Feast", metadata = { name = "banquet" }, spec = { dish = "dumplings" } }
        end,
      },
    },

    step "status" {
      setup = function(k) return lay_wedding(k) end,
      ask = { choices = { "written", "refused", "ignored" }, answer = "ignored" },
      check = function(k, state)
        feast(k, "wedding"):expect {
          metadata = { uid = state.uid, generation = state.generation },
          spec = { dish = "dumplings", tables = 3 },
          status = { served = 3 },
        }
      end,
      hint = function(k, state)
        local anew = made_anew(k, state)
        if anew then return anew end
        local wedding = feast(k, "wedding")
        if wedding:at "metadata.generation" ~= state.generation then
          return t { en = "The spec was changed, which is the host's part; here only the status is to be written. Start the step again.",
                     zh = "规约（spec）被改过了，那是客人的部分；这一步只写状态。请重新开始这一步。" }
        end
        if wedding:at "status.served" == nil then
          return t { en = "The status is still empty. `patched (no change)` means: nothing was written.",
                     zh = "状态还是空的。`patched (no change)` 的意思是什么也没写进去。" }
        end
      end,
      solve = function(k) set_status(k, "wedding", 3) end,
      mutants = {
        nothing = function() end,
        without_the_subresource = function(k) k:patch(FEASTS, "wedding", { status = { served = 3 } }, { type = "merge" }) end,
        two_served = function(k) set_status(k, "wedding", 2) end,
        spec_changed_too = function(k)
          k:patch(FEASTS, "wedding", { spec = { tables = 4 } }, { type = "merge" })
          set_status(k, "wedding", 3)
        end,
      },
    },

    step "scale" {
      setup = function(k) return lay_wedding(k, 3) end,
      ask = { choices = { "refused", "both", "one" }, answer = "one" },
      check = function(k, state)
        feast(k, "wedding"):expect { metadata = { uid = state.uid, deletionTimestamp = absent }, spec = { tables = 5 }, status = { served = 3 } }
      end,
      hint = function(k, state)
        local anew = made_anew(k, state)
        if anew then return anew end
        if feast(k, "wedding"):at "status.served" ~= 3 then
          return t { en = "You changed what was served, not what is wanted. Start the step again: only the number of tables is to change.",
                     zh = "你改的是已经上了几桌，不是要几桌。请重新开始这一步：只改桌数。" }
        end
      end,
      solve = function(k) k:scale(FEASTS, "wedding", 5) end,
      mutants = {
        nothing = function() end,
        status_instead = function(k) set_status(k, "wedding", 5) end,
        status_as_well = function(k) k:scale(FEASTS, "wedding", 5); set_status(k, "wedding", 5) end,
        made_anew = function(k)
          without(k, "wedding")
          k:apply { apiVersion = "kubetutor.dev/v1", kind = "Feast", metadata = { name = "wedding" }, spec = { dish = "dumplings", tables = 5 } }
          set_status(k, "wedding", 3)
        end,
      },
    },

    step "finalizer" {
      setup = function(k)
        teach_the_word(k)
        without(k, "farewell")
        k:apply "files/farewell.yaml"
        return { uid = feast(k, "farewell"):at "metadata.uid" }
      end,
      ask = { choices = { "gone", "refused", "stays" }, answer = "stays" },
      check = function(k, state)
        k:expect_seen(FEASTS, "farewell", { metadata = { uid = state.uid, deletionTimestamp = any, finalizers = contains { WASH_UP } } })
        k:expect_absent(FEASTS, "farewell", { for_seconds = 3 })
      end,
      hint = function(k, state)
        local farewell = feast(k, "farewell")
        if not farewell:exists() then
          return t { en = "It is gone. If the step is not passed within some seconds, it was never seen waiting: start again, and delete before you sign.",
                     zh = "它已经没了。几秒后这一步还没通过，就是没等过签字：请重新开始，先删除，再去掉 Finalizer。" }
        end
        if farewell:at "metadata.uid" ~= state.uid then
          return t { en = "This farewell was made anew. Start the step again, and delete the one that is there.",
                     zh = "这个 farewell 是重新创建的。请重新开始这一步，删除现有的那个。" }
        end
        if farewell:at "metadata.deletionTimestamp" then
          return t { en = "It is marked for deletion and waits: somebody still stands in metadata.finalizers.",
                     zh = "它已经标记为删除，正在等：metadata.finalizers 里还有人没签字。" }
        end
        if not farewell:at "metadata.finalizers" then
          return t { en = "You took the finalizer away before deleting, so there was nothing to wait for. Start the step again: delete first.",
                     zh = "还没删除就先去掉了 Finalizer，也就没什么可等的了。请重新开始这一步：先删除。" }
        end
      end,
      solve = function(k)
        k:delete(FEASTS, "farewell")
        release(k, "farewell")
      end,
      mutants = {
        nothing = function() end,
        only_deleted = function(k) k:delete(FEASTS, "farewell") end,
        finalizer_first = function(k) release(k, "farewell"); k:delete(FEASTS, "farewell") end,
      },
    },

    step "who-may" {
      setup = function(k)
        lay_wedding(k)
        k:apply { apiVersion = "v1", kind = "ServiceAccount", metadata = { name = "chef" } }
        k:apply "files/chef.yaml"
        return { namespace = k.namespace }
      end,
      ask = { choices = { "yes", "no" }, answer = "no" },
      check = function(k)
        local role = k:get(ROLES, "feast-chef")
        k:get("serviceaccounts", "chef"):expect { metadata = { deletionTimestamp = absent } }
        k:get(BINDINGS, "feast-chef"):expect { roleRef = { kind = "Role", name = "feast-chef" },
                                               subjects = contains { { kind = "ServiceAccount", name = "chef" } } }
        expect(allows(role, "get", "feasts") and allows(role, "list", "feasts") and allows(role, "watch", "feasts"),
               t { en = "the chef may still read the feasts", zh = "厨师长仍然可以查看 Feast" })
        expect(allows(role, "get", "feasts/status") and allows(role, "patch", "feasts/status"),
               t { en = "the chef may get and patch feasts/status", zh = "厨师长可以 get 和 patch feasts/status" })
        expect(not allows_any(role, CHANGES, "feasts") and not allows_any(role, CHANGES, "feasts/scale"),
               t { en = "the chef may not change the order itself", zh = "厨师长不能改菜单本身" })
      end,
      hint = function(k)
        local role = k:get(ROLES, "feast-chef")
        if not role:exists() then
          return t { en = "There is no Role feast-chef. Hand chef.yaml in again.", zh = "没有 Role feast-chef。把 chef.yaml 再交一次。" }
        end
        if allows_any(role, CHANGES, "feasts") then
          return t { en = "With this Role the chef can rewrite the host's order. The verb patch belongs only to `feasts/status`: a rule of its own.",
                     zh = "这样一来，厨师长可以改客人的菜单了。patch 只该给 `feasts/status`：单独写一条规则。" }
        end
        if not allows(role, "get", "feasts") then
          return t { en = "Now the chef cannot read the feasts any more. Keep the first rule, and write a second one below it.",
                     zh = "现在厨师长连 Feast 都看不了了。第一条规则要留着，在它下面另写一条。" }
        end
        if not k:get(BINDINGS, "feast-chef"):exists() then
          return t { en = "The Role is one half; the RoleBinding gives it to somebody, and it is missing. Hand the whole chef.yaml in.",
                     zh = "Role 只是一半，把它交给谁要靠 RoleBinding，现在缺了。把整个 chef.yaml 交上去。" }
        end
        if allows(role, "patch", "feasts/status") and not allows(role, "get", "feasts/status") then
          return t { en = "Nearly: kubectl reads before it patches. Give `get` for `feasts/status` as well.",
                     zh = "差一点：kubectl 打补丁之前要先读。`feasts/status` 的 `get` 也要给。" }
        end
      end,
      solve = function(k) k:apply "solution/chef.yaml" end,
      mutants = {
        nothing = function() end,
        may_do_everything = function(k) give_chef(k, { rule("*", { "*" }) }) end,
        without_get = function(k)
          give_chef(k, { rule("feasts", { "get", "list", "watch" }), rule("feasts/status", { "patch" }) })
        end,
        patch_on_feasts_too = function(k)
          give_chef(k, { rule("feasts", { "get", "list", "watch", "patch" }), rule("feasts/status", { "get", "patch" }) })
        end,
        status_instead_of_feasts = function(k) give_chef(k, { rule("feasts/status", { "get", "patch" }) }) end,
        not_bound = function(k) k:apply "solution/chef.yaml"; k:delete(BINDINGS, "feast-chef") end,
      },
    },
  },

  cleanup = function(k) -- no chef will ever sign for these
    if not k:get(CRDS, FEASTS):exists() then return end
    for _, name in ipairs { "wedding", "banquet", "farewell" } do without(k, name) end
  end,
}
