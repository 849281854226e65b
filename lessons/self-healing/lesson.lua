-- Self-healing: who keeps the copies, how it knows which ones are its own, and what a bare Pod lacks.
local label = { ["app-name"] = "my-nginx" }

local function pods(k) return k:list("pods", { labels = label }) end

-- The menu as it was handed in. Scaling it, restarting it, or deleting it and making it again changes uid or generation, so a step
-- that wants a Pod lost cannot be passed by changing the menu.
local function lay_the_table(k)
  k:apply "files/nginx.yaml"
  k:wait("deployments.apps", "nginx", "Available", 60)
  local d = k:get("deployments.apps", "nginx")
  return { uid = d:at "metadata.uid", generation = d:at "metadata.generation", before = pods(k):uids() }
end

local function expect_menu_untouched(k, state)
  k:get("deployments.apps", "nginx"):expect {
    metadata = { uid = state.uid, generation = state.generation },
    status = { availableReplicas = 3 },
  }
end

-- The mistakes that people really make here, seen in the cluster, told before any fixed hint.
local function what_went_wrong(k, state)
  local d = k:get("deployments.apps", "nginx")
  if not d:exists() then
    return t { en = "There is no Deployment called nginx in this namespace. Which one are you in? `kubectl config get-contexts`",
               zh = "这个名字空间里没有名为 nginx 的 Deployment。你现在在哪个名字空间？`kubectl config get-contexts`" }
  end
  local wanted = d:at "spec.replicas"
  if wanted ~= 3 then
    return t { en = ("The menu itself says %d, not 3. The chef only obeys."):format(wanted),
               zh = ("菜单上写的就是 %d 份，不是 3 份，厨师长只是照办。"):format(wanted) }
  end
  if d:at "metadata.uid" ~= state.uid or d:at "metadata.generation" ~= state.generation then
    return t { en = "The menu was changed or made anew, so a missing Pod proves nothing. Start again: `kubetutor reset self-healing`",
               zh = "菜单被改过或者重做过，这时少一个 Pod 说明不了什么。重新开始：`kubetutor reset self-healing`" }
  end
end

local wrong_ways = { -- states that must not pass a step about losing Pods
  nothing_deleted = function() end,
  scaled_down_and_up = function(k) k:scale("deployments.apps", "nginx", 2); k:scale("deployments.apps", "nginx", 3) end,
  restarted = function(k) k:restart("deployments.apps", "nginx") end,
  recreated = function(k) k:delete("deployments.apps", "nginx"); k:apply "files/nginx.yaml" end,
}

return lesson {
  id = "self-healing", chapter = "first-taste", level = "beginner", minutes = 12, after = { "nginx" },
  needs = { "deployments.apps", "replicasets.apps", "pods" }, images = { "nginx" },

  steps = {
    step "names" { setup = lay_the_table, ask = { choices = { "random", "template", "node" }, answer = "template" } },

    step "lose-one" {
      setup = lay_the_table,
      ask = { choices = { "same", "new", "two" }, answer = "new" },      -- asked before the deed, answered after it
      check = function(k, state)
        pods(k):expect_gone(state.before, { at_least = 1 })
        pods(k):ready():expect_count(3)
        expect_menu_untouched(k, state)
      end,
      hint = what_went_wrong,
      solve = function(k) k:delete(pods(k):first()) end,
      mutants = wrong_ways,
    },

    step "lose-all" {
      setup = lay_the_table,
      check = function(k, state)
        pods(k):expect_gone(state.before, { all = true })
        pods(k):ready():expect_count(3)
        expect_menu_untouched(k, state)
      end,
      hint = what_went_wrong,
      solve = function(k) k:delete_all("pods", { labels = label }) end,
      mutants = wrong_ways,
    },

    step "relabel" {
      setup = function(k)
        k:delete_all("pods", { labels = { ["app-name"] = "other" } }) -- hidden in an earlier try
        return lay_the_table(k)
      end,
      ask = { choices = { "three", "four", "refused" }, answer = "four" },
      check = function(k, state)
        k:list("pods", { labels = { ["app-name"] = "other" } }):expect_count(1)
          :each():expect { metadata = { ownerReferences = absent, uid = one_of(state.before) } }
        pods(k):ready():expect_count(3)
        expect_menu_untouched(k, state)
      end,
      hint = what_went_wrong,
      solve = function(k) k:label(pods(k):first(), { ["app-name"] = "other" }) end,
      mutants = {
        nothing_relabelled = function() end,
        a_new_pod_with_that_label = function(k) k:apply "solution/other.yaml" end,
      },
    },

    step "chef-of-the-chef" {
      setup = lay_the_table,
      ask = { choices = { "five", "three", "refused" }, answer = "three" },
      check = function(k, state)
        k:expect_seen("replicasets.apps", { labels = label }, { spec = { replicas = 5 } })
        k:list("replicasets.apps", { labels = label }):each():expect { spec = { replicas = one_of { 0, 3 } } } -- 0: left by a restart
        expect_menu_untouched(k, state)
      end,
      hint = what_went_wrong,
      solve = function(k) k:scale(k:list("replicasets.apps", { labels = label }):first(), 5) end,
      mutants = { the_deployment_instead = function(k) k:scale("deployments.apps", "nginx", 5) end, nothing = function() end },
    },

    step "no-chef" {
      setup = function(k)
        if k:get("pods", "lonely"):exists() then
          k:delete("pods", "lonely")
          k:wait_gone("pods", "lonely", 60)
        end
      end,
      check = function(k)
        k:expect_seen("pods", "lonely", { status = { phase = "Running" } })
        k:expect_absent("pods", "lonely", { for_seconds = 10 })
      end,
      hint = function(k)
        local pod = k:get("pods", "lonely")
        if pod:at "metadata.ownerReferences" ~= nil then
          return t { en = "This Pod has an owner, so a chef looks after it. Delete the owner, then `kubectl run`: that makes a bare Pod.",
                     zh = "这个 Pod 有属主，所以有厨师长管。先删掉属主，再用 `kubectl run`，那样得到的才是裸 Pod。" }
        end
        if pod:exists() and pod:at "status.phase" ~= "Running" then
          return t { en = "Not yet Running: a Pod that never ran proves nothing. If it stays so, `kubectl describe pod lonely` says why.",
                     zh = "还没到 Running：没运行过的 Pod 说明不了什么。一直这样的话，`kubectl describe pod lonely` 会说原因。" }
        end
      end,
      solve = function(k)
        k:apply "solution/lonely.yaml"
        k:wait("pods", "lonely", "Ready", 60)
        k:delete("pods", "lonely")
      end,
      mutants = {
        never_made = function() end,
        still_there = function(k) k:apply "solution/lonely.yaml" end,
        never_ran = function(k) k:apply "solution/broken.yaml"; k:delete("pods", "lonely") end,
      },
    },
  },
}
