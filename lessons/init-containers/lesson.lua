-- init-containers: what runs before the app, in which order, what it may prepare, and what happens when it fails.

-- Most of what this lesson shows is fixed when a Pod is made, so a step begins without the Pod of an earlier try.
local function without(k, kind, name)
  local old = k:get(kind, name)
  if old:exists() then
    k:delete(old)
    k:wait_gone(kind, name, 60)
  end
end

local function fresh(k, name)
  without(k, "pods", name)
  k:apply("files/" .. name .. ".yaml")
end

local function container(name, script, more)
  local c = { name = name, image = "busybox:1.36", command = { "sh", "-c", script } }
  for key, value in pairs(more or {}) do c[key] = value end
  return c
end

local function pod(name, init, containers, policy, volumes)
  return { apiVersion = "v1", kind = "Pod", metadata = { name = name },
           spec = { restartPolicy = policy, initContainers = init, containers = containers, volumes = volumes } }
end

local nginx = { name = "nginx", image = "nginx" }
local ended_well = { state = { terminated = { exitCode = 0 } } }
local ready = contains { { type = "Ready", status = "True" } }

-- site: nginx shows what somebody else put into the volume called page.
local function site(script, mounts)
  local shown = { name = "nginx", image = "nginx", volumeMounts = { { name = "page", mountPath = "/usr/share/nginx/html" } } }
  return pod("site", { container("write", script, { volumeMounts = mounts }) }, { shown }, "Always", { { name = "page", emptyDir = {} } })
end

-- shop: a Deployment, so that it can be mended without being thrown away.
local shop_pods = { app = "shop" }
local before_start = "spec.template.spec.initContainers"
local function shop(k) return k:get("deployments.apps", "shop") end
local function patch_shop(k, ...) k:patch("deployments.apps", "shop", { ... }, { type = "json" }) end
local function at(index) return "/spec/template/spec/initContainers/" .. index end

return lesson {
  id = "init-containers", chapter = "inside-a-pod", level = "beginner", minutes = 20, after = { "self-healing" },
  needs = { "pods", "services", "deployments.apps", "replicasets.apps:get,list,watch" },
  images = { "nginx", "busybox:1.36" },

  steps = {
    step "order" {
      final = true, -- the one whose check needs no history
      setup = function(k) without(k, "pods", "kitchen") end,
      ask = { choices = { "together", "app-first", "in-turn" }, answer = "in-turn" },
      check = function(k)
        k:get("pods", "kitchen"):expect {
          metadata = { deletionTimestamp = absent }, -- a Pod on its way out may still call itself ready
          spec = { initContainers = { { name = "wash" }, { name = "cut" } } },
          status = {
            conditions = ready,
            initContainerStatuses = { { name = "wash", state = ended_well.state }, { name = "cut", state = ended_well.state } },
          },
        }
      end,
      hint = function(k)
        if not k:get("pods", "kitchen"):exists() then
          return t { en = "There is no Pod kitchen in namespace " .. k.namespace .. " yet: the file is to be handed in.",
                     zh = "名字空间 " .. k.namespace .. " 里还没有 Pod kitchen：文件还没有交。" }
        end
        if k:get("pods", "kitchen"):at "spec.initContainers" == nil then
          return t { en = "This Pod kitchen has no init containers, so it is not the one in kitchen.yaml. Delete it and hand the file in.",
                     zh = "这个 Pod kitchen 没有 Init 容器，不是 kitchen.yaml 里的那个。删掉它，再交文件。" }
        end
      end,
      solve = function(k) k:apply "files/kitchen.yaml" end,
      mutants = {
        nothing = function() end,
        no_init_containers = function(k) k:apply(pod("kitchen", nil, { nginx })) end,
        other_order = function(k) k:apply(pod("kitchen", { container("cut", "true"), container("wash", "true") }, { nginx })) end,
        never_done = function(k) k:apply(pod("kitchen", { container("wash", "true"), container("cut", "exit 1") }, { nginx })) end,
      },
    },

    step "waiting" {
      setup = function(k)
        without(k, "services", "db")
        fresh(k, "guest")
        return { uid = k:get("pods", "guest"):at "metadata.uid", services = #k:list("services"):uids() }
      end,
      ask = { choices = { "waits", "fails", "starts" }, answer = "starts" },
      check = function(k, state)
        k:get("services", "db"):expect { spec = { clusterIP = any } }
        k:get("pods", "guest"):expect {
          metadata = { uid = state.uid, deletionTimestamp = absent },
          status = { conditions = ready, initContainerStatuses = { ended_well } },
        }
      end,
      hint = function(k, state)
        local guest = k:get("pods", "guest")
        if not guest:exists() or guest:at "metadata.uid" ~= state.uid then
          return t { en = "The guest that was waiting is gone. It is enough to give it what it waits for. Start the step again.",
                     zh = "原来等着的那位客人不在了。其实只要把它等的东西给它就行。请重新开始这一步。" }
        end
        if #k:list("services"):uids() > state.services and not k:get("services", "db"):exists() then
          return t { en = "There is a new Service, but none called `db`: the guest asks for exactly this name.",
                     zh = "新的 Service 有了，但不叫 `db`：客人打听的就是这个名称，一个字母也不能差。" }
        end
      end,
      solve = function(k)
        k:apply { apiVersion = "v1", kind = "Service", metadata = { name = "db" },
                  spec = { selector = { app = "db" }, ports = { { port = 5432 } } } }
      end,
      mutants = {
        nothing = function() end,
        another_name = function(k)
          k:apply { apiVersion = "v1", kind = "Service", metadata = { name = "database" },
                    spec = { selector = { app = "db" }, ports = { { port = 5432 } } } }
        end,
        a_guest_who_does_not_wait = function(k)
          without(k, "pods", "guest")
          k:apply(pod("guest", { container("wait-for-db", "true") }, { nginx }))
          k:apply { apiVersion = "v1", kind = "Service", metadata = { name = "db" }, spec = { ports = { { port = 5432 } } } }
        end,
      },
    },

    step "volume" {
      setup = function(k)
        fresh(k, "site")
        k:wait("pods", "site", "Ready", 60)
      end,
      ask = { choices = { "welcome", "nothing", "no-start" }, answer = "nothing" },
      check = function(k)
        k:get("pods", "site"):expect {
          metadata = { deletionTimestamp = absent },
          spec = { initContainers = contains { { volumeMounts = contains { { name = "page" } } } } },
          status = { conditions = ready, initContainerStatuses = each(ended_well) },
        }
      end,
      verify = function(k)
        local answer = k:http("pod/site:80", "/")
        expect(answer.status == 200 and #answer.body > 0 and not answer.body:find("Welcome to nginx", 1, true),
               t { en = "nginx shows the page that the init container wrote (index.html in the volume)",
                   zh = "nginx 显示的是 Init 容器写的页面（卷里的 index.html）" })
      end,
      hint = function(k)
        local p = k:get("pods", "site")
        if not p:exists() then return nil end
        local init = p:at "spec.initContainers"
        if init == nil then
          return t { en = "The Pod in the cluster has no init container. Is the file saved? `apply` cannot add one to a Pod that exists: make it anew.",
                     zh = "集群里的这个 Pod 还没有 Init 容器。文件保存了吗？已有的 Pod 不能用 `apply` 添加容器，要重新创建。" }
        end
        if p:at "spec.initContainers[0].volumeMounts[name=page].mountPath" == nil then
          return t { en = "Your init container does not mount the volume `page`: it writes into its own filesystem, which nobody else sees.",
                     zh = "你的 Init 容器没有挂载卷 `page`：它写进了自己的文件系统，别的容器看不到。" }
        end
        if not p:at "status.initContainerStatuses[0].state.terminated" then
          return t { en = "The init container has not ended. `kubectl get pod site` says how far it is, `kubectl logs site -c <container>` what it complains about.",
                     zh = "Init 容器还没结束。`kubectl get pod site` 看走到哪一步，`kubectl logs site -c <容器>` 看它抱怨什么。" }
        end
      end,
      solve = function(k)
        without(k, "pods", "site")
        k:apply "solution/site.yaml"
      end,
      mutants = {
        nothing = function() end,
        written_outside_the_volume = function(k)
          without(k, "pods", "site")
          k:apply(site("mkdir /page; echo hello > /page/index.html"))
        end,
        written_to_another_file = function(k)
          without(k, "pods", "site")
          k:apply(site("echo hello > /page/page.txt", { { name = "page", mountPath = "/page" } }))
        end,
        written_by_hand = function(k)
          k:exec("site", { "sh", "-c", "echo hello > /usr/share/nginx/html/index.html" })
        end,
      },
    },

    step "failing" {
      setup = function(k)
        without(k, "deployments.apps", "shop")
        k:apply "files/shop.yaml"
        local d = shop(k)
        return { uid = d:at "metadata.uid", cook = d:at(before_start .. "[name=cook].command"),
                 taste = d:at(before_start .. "[name=taste].command") }
      end,
      ask = { choices = { "image", "volume", "order" }, answer = "order" },
      check = function(k, state)
        local d = shop(k)
        d:expect {
          metadata = { uid = state.uid },
          spec = { template = { spec = { initContainers = { { name = "cook", command = state.cook }, { name = "taste", command = state.taste } } } } },
        }
        d:rolled_out()
        k:list("pods", { labels = shop_pods }):ready():expect_count(1)
      end,
      verify = function(k)
        local p = k:list("pods", { labels = shop_pods }):ready():first()
        expect(p:exists() and k:logs(p, { container = "taste" }):find("hot soup", 1, true) ~= nil,
               t { en = "taste found the soup that cook made", zh = "taste 尝到了 cook 做的汤" })
      end,
      hint = function(k, state)
        local d = shop(k)
        if not d:exists() or d:at "metadata.uid" ~= state.uid then
          return t { en = "This is not the shop that was broken: it was thrown away. Start the step again and mend it as it stands.",
                     zh = "这已经不是出毛病的那个 shop 了，原来的被删了。请重新开始这一步，直接修现有的。" }
        end
        if d:at(before_start .. "[name=taste].name") == nil or d:at(before_start .. "[name=cook].name") == nil then
          return t { en = "One of the two init containers is gone. A shop that does not taste opens, too, but with bad soup: both are needed.",
                     zh = "两个 Init 容器少了一个。不尝一口当然也能开门，可是汤坏了谁也不知道：两个都要留着。" }
        end
        if d:at(before_start .. "[0].name") == "taste" then
          return t { en = "Compare who needs what from whom: read the log of `taste` once more, then what `cook` writes.",
                     zh = "想想谁要用谁的东西：再看一遍 `taste` 的日志，然后看 `cook` 写了什么。" }
        end
      end,
      solve = function(k)
        k:apply "solution/shop.yaml"
        k:wait("deployments.apps", "shop", "Available", 60)
      end,
      mutants = {
        nothing = function() end,
        tasting_left_out = function(k) patch_shop(k, { op = "remove", path = at(0) }) end,
        tasting_made_harmless = function(k)
          patch_shop(k, { op = "replace", path = at(0), value = container("cook", "true") },
                     { op = "replace", path = at(1), value = container("taste", "echo hot soup") })
        end,
        new_pods_only = function(k) k:restart("deployments.apps", "shop") end,
        made_anew = function(k) without(k, "deployments.apps", "shop"); k:apply "solution/shop.yaml" end,
      },
    },

    step "restart-policy" {
      setup = function(k)
        without(k, "pods", "once")
        fresh(k, "tries")
        k:wait("pods", "tries", "Ready", 60)
        return { command = k:get("pods", "tries"):at "spec.initContainers[0].command" }
      end,
      ask = { choices = { "retries", "failed", "without" }, answer = "failed" },
      check = function(k, state)
        k:get("pods", "once"):expect {
          spec = { restartPolicy = "Never", initContainers = { { name = "light", command = state.command } } },
          status = {
            phase = "Failed",
            initContainerStatuses = { { restartCount = 0, state = { terminated = { exitCode = 1 } } } },
            containerStatuses = { { restartCount = 0, state = { waiting = any } } },
          },
        }
      end,
      hint = function(k)
        local once = k:get("pods", "once")
        if not once:exists() then
          return t { en = "There is no Pod called once. Did you change the name in the copy, and hand in the copy?",
                     zh = "还没有名为 once 的 Pod。副本里的名称改了吗，交的是副本吗？" }
        end
        if once:at "spec.restartPolicy" ~= "Never" then
          return t { en = "The Pod once has restartPolicy " .. once:at "spec.restartPolicy" ..
                          ". The line belongs under spec, beside initContainers, not inside a container; and the Pod has to be made anew.",
                     zh = "Pod once 的 restartPolicy 是 " .. once:at "spec.restartPolicy" ..
                          "。这一行要写在 spec 下面，和 initContainers 对齐，不在容器里面；改完要重新创建 Pod。" }
        end
      end,
      solve = function(k) k:apply "solution/once.yaml" end,
      mutants = {
        nothing = function() end,
        tries_again = function(k) k:apply(pod("once", { container("light", "exit 1") }, { nginx }, "OnFailure")) end,
        does_not_fail = function(k) k:apply(pod("once", { container("light", "true") }, { nginx }, "Never")) end,
        the_app_fails = function(k) k:apply(pod("once", nil, { container("cook", "exit 1") }, "Never")) end,
      },
    },

    step "sidecar" {
      since = "1.29",
      setup = function(k)
        fresh(k, "band")
        return { command = k:get("pods", "band"):at "spec.initContainers[0].command" }
      end,
      ask = { choices = { "running", "completed", "failed" }, answer = "completed" },
      check = function(k, state)
        k:expect_seen("pods", "band", {
          status = {
            initContainerStatuses = { { name = "music", started = true, state = { running = any } } },
            containerStatuses = { { name = "dinner", state = { running = any } } },
          },
        })
        k:get("pods", "band"):expect {
          spec = { restartPolicy = "Never", initContainers = { { name = "music", restartPolicy = "Always", command = state.command } } },
          status = { phase = "Succeeded", containerStatuses = { ended_well } },
        }
      end,
      verify = function(k)
        expect(k:logs("band", { container = "music" }):find("la", 1, true) ~= nil,
               t { en = "there was music during dinner", zh = "吃饭的时候有音乐" })
      end,
      hint = function(k)
        local band = k:get("pods", "band")
        if not band:exists() then return nil end
        if band:at "spec.initContainers[name=music].name" == nil then
          return t { en = "`music` is no init container any more. Leave it where it was; it lacks one line.",
                     zh = "`music` 已经不在 Init 容器里了。把它放回原处，它只缺一行。" }
        end
        if band:at "spec.initContainers[name=music].restartPolicy" ~= "Always" then
          if band:at "spec.restartPolicy" == "Always" then
            return t { en = "You changed the Pod's restartPolicy. Leave that at Never; `music` gets a line of its own.",
                       zh = "你改的是 Pod 的 restartPolicy，它应该还是 Never；要加一行的是 `music`。" }
          end
          return t { en = "The Pod in the cluster is still the old one: `music` has no restartPolicy of its own. Containers cannot be changed; make the Pod anew.",
                     zh = "集群里的还是原来的 Pod：`music` 没有自己的 restartPolicy。容器改不了，要重新创建 Pod。" }
        end
      end,
      solve = function(k)
        without(k, "pods", "band")
        k:apply "solution/band.yaml"
      end,
      mutants = {
        nothing = function() end,
        music_ends_before_dinner = function(k)
          without(k, "pods", "band")
          k:apply(pod("band", { container("music", "echo la") }, { container("dinner", "echo eating") }, "Never"))
        end,
        music_beside_dinner = function(k)
          without(k, "pods", "band")
          k:apply(pod("band", nil, { container("music", "while true; do echo la; sleep 1; done"), container("dinner", "sleep 5") }, "Never"))
        end,
      },
    },
  },
}
