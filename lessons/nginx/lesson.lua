-- nginx: one file with a Deployment and a Service, what "created" promises, and how others reach the Pods by name.
local label = { ["app-name"] = "my-nginx" }

local function deployment(k) return k:get("deployments.apps", "nginx") end
local function service(k) return k:get("services", "nginx") end
local function pods(k) return k:list("pods", { labels = label }) end

local function lay_the_table(k)
  k:apply "files/nginx.yaml"
  k:wait("deployments.apps", "nginx", "Available", 60)
end

-- spec.replicas first: who scales it reads that, and not that some Pod is missing.
local function expect_three_servings(k, uid)
  local d = deployment(k)
  d:expect {
    metadata = { uid = uid or any },
    spec = {
      replicas = 3,
      template = { metadata = { labels = label }, spec = { containers = contains { { image = matches "(^|/)nginx([:@]|$)" } } } },
    },
  }
  d:rolled_out()
  pods(k):ready():expect_count(3)
end

local function expect_one_name(k)
  service(k):expect { spec = { type = "ClusterIP", selector = label, ports = contains { { port = 80 } } } }
  k:service("nginx"):selects("deployments.apps", "nginx")
end

local function expect_a_page(k)
  local answer = k:http("service/nginx:80", "/")
  expect(answer.status == 200 and answer.body:find("Welcome to nginx", 1, true) ~= nil, t {
    en = "Service nginx answers on port 80 with nginx's own page",
    zh = "Service nginx 在 80 端口应答，返回 nginx 的欢迎页",
  })
end

-- What a container runs, word by word, whether it was given as command, as args, or inside sh -c.
local function words_of(container)
  local words = {}
  for _, list in ipairs { container.command or {}, container.args or {} } do
    for _, argument in ipairs(list) do
      for word in argument:gmatch "[^%s'\"]+" do words[#words + 1] = word end
    end
  end
  return words
end

local function host_of(word) return (word:gsub("^%a+://", ""):match "^[^/:]*") end

local function asks_by_name(k)
  local container = { command = k:get("pods", "client"):at "spec.containers[0].command",
                      args = k:get("pods", "client"):at "spec.containers[0].args" }
  for _, word in ipairs(words_of(container)) do
    local host = host_of(word)
    if host == "nginx" or host:sub(1, 6) == "nginx." then return true end
  end
  return false
end

-- A client as `kubectl run client --image=curlimages/curl --restart=Never -- curl -s URL` makes it.
local function client(k, url)
  k:apply {
    apiVersion = "v1", kind = "Pod", metadata = { name = "client", labels = { run = "client" } },
    spec = { restartPolicy = "Never",
             containers = { { name = "client", image = "curlimages/curl", args = { "curl", "-s", "-m", "5", url } } } },
  }
end

local function without(k, kind, name)
  local old = k:get(kind, name)
  if old:exists() then
    k:delete(old)
    k:wait_gone(kind, name, 60)
  end
end

local function clear_the_table(k)
  without(k, "deployments.apps", "nginx")
  without(k, "services", "nginx")
end

local function nothing_there(k)
  if not deployment(k):exists() and not service(k):exists() then
    return t { en = "Neither the Deployment nor the Service is in namespace " .. k.namespace ..
                    ". Did the command print an error, or did it go to another namespace?",
               zh = "名字空间 " .. k.namespace .. " 里既没有 Deployment，也没有 Service。命令报错了，还是交到别的名字空间去了？" }
  end
end

return lesson {
  id = "nginx", chapter = "first-taste", level = "beginner", minutes = 15, after = {},
  needs = { "deployments.apps", "replicasets.apps:get,list,watch", "pods", "services",
            "endpointslices.discovery.k8s.io:get,list,watch" },
  images = { "nginx", "curlimages/curl" },

  steps = {
    step "menu" { ask = { choices = { "deployment", "label", "image" }, answer = "label" } },

    step "hand-in" {
      final = true,
      setup = clear_the_table,
      ask = { choices = { "running", "accepted", "pulled" }, answer = "accepted" },
      check = function(k)
        expect_three_servings(k)
        expect_one_name(k)
      end,
      verify = expect_a_page,
      hint = function(k)
        local missing = nothing_there(k)
        if missing then return missing end
        if not service(k):exists() then
          return t { en = "The Deployment is there, the Service is not. Both stand in nginx.yaml, below and above the line `---`: is your file whole?",
                     zh = "Deployment 有了，Service 还没有。nginx.yaml 里两样都有，用 `---` 隔开：你的文件完整吗？" }
        end
        local wanted = deployment(k):at "spec.replicas"
        if wanted and wanted ~= 3 then
          return t { en = ("The Deployment in the cluster asks for %d, not 3. Hand the file in again."):format(wanted),
                     zh = ("集群里的 Deployment 要的是 %d 份，不是 3 份。把文件再交一次。"):format(wanted) }
        end
      end,
      solve = lay_the_table,
      mutants = {
        nothing = function() end,
        no_service = function(k) lay_the_table(k); k:delete("services", "nginx") end,
        two_servings = function(k) lay_the_table(k); k:scale("deployments.apps", "nginx", 2) end,
        service_for_other_pods = function(k)
          lay_the_table(k)
          k:patch("services", "nginx", { spec = { selector = { ["app-name"] = "nginx" } } }, { type = "merge" })
        end,
        image_that_does_not_exist = function(k) k:apply "files/nginx.yaml"; k:apply "solution/typo.yaml" end,
      },
    },

    step "address-book" {
      setup = lay_the_table,
      ask = { choices = { "service", "node", "pods" }, answer = "pods" },
    },

    step "by-name" {
      setup = function(k)
        lay_the_table(k)
        without(k, "pods", "client")
      end,
      ask = { choices = { "page", "unknown", "refused" }, answer = "unknown" },
      check = function(k)
        k:get("pods", "client"):expect { status = { phase = "Succeeded" } }
        expect(asks_by_name(k), t { en = "Pod client asks for the name nginx, not for an address",
                                    zh = "Pod client 访问的是名称 nginx，不是某个地址" })
      end,
      verify = function(k)
        expect(k:logs("client", { container = "client" }):find("Welcome to nginx", 1, true) ~= nil,
               t { en = "the log of Pod client holds nginx's page", zh = "Pod client 的日志里有 nginx 的欢迎页" })
      end,
      hint = function(k)
        local pod = k:get("pods", "client")
        if not pod:exists() then return nil end
        if not asks_by_name(k) then
          return t { en = "Pod client did not ask for the name nginx. A Pod's command cannot be changed: `kubectl delete pod client`, then once more, with the name.",
                     zh = "Pod client 访问的不是名称 nginx。Pod 的命令改不了：先 `kubectl delete pod client`，再用名称重来一次。" }
        end
        if pod:at "status.phase" == "Failed" then
          return t { en = "curl ended with an error; `kubectl logs client` may say which. Is the Service there, and ready Pods behind it? Delete the Pod and try again.",
                     zh = "curl 出错退出了，`kubectl logs client` 也许写着原因。Service 在吗，后面有就绪的 Pod 吗？删掉这个 Pod 再试。" }
        end
        if pod:at "spec.restartPolicy" == "Always" then
          return t { en = "Without --restart=Never the Pod is restarted each time curl ends, and never Succeeded. Delete it and run it with that flag.",
                     zh = "不加 --restart=Never，curl 每次结束都会被重启，Pod 永远到不了 Succeeded。删掉它，加上这个参数再来。" }
        end
      end,
      solve = function(k) -- a Service that was made a moment ago may not answer at once: then as the hint says, once more
        for _ = 1, 3 do
          without(k, "pods", "client")
          client(k, "http://nginx")
          for _ = 1, 30 do
            local phase = k:get("pods", "client"):at "status.phase"
            if phase == "Succeeded" then return end
            if phase == "Failed" then break end
            k:sleep(1)
          end
        end
      end,
      mutants = {
        nothing = function() end,
        by_address = function(k) client(k, "http://" .. service(k):at "spec.clusterIP") end,
        another_name = function(k) client(k, "http://nginx-2") end,
        kept_restarting = function(k)
          k:apply { apiVersion = "v1", kind = "Pod", metadata = { name = "client" },
                    spec = { containers = { { name = "client", image = "curlimages/curl", args = { "curl", "-s", "http://nginx" } } } } }
        end,
      },
    },

    step "typo" {
      setup = function(k)
        k:apply "files/nginx.yaml" -- for the Service; its Deployment gives way to the mistyped one
        without(k, "deployments.apps", "nginx")
        k:apply "solution/typo.yaml"
        return { uid = deployment(k):at "metadata.uid" }
      end,
      ask = { choices = { "selector", "room", "image" }, answer = "image" },
      check = function(k, state)
        expect_three_servings(k, state.uid)
        expect_one_name(k)
      end,
      verify = expect_a_page,
      hint = function(k, state)
        local d = deployment(k)
        if not d:exists() then
          return t { en = "The Deployment is gone. This step is about mending one that stands: start it anew.",
                     zh = "Deployment 没有了。这一步练的是修：请重新开始这一步。" }
        end
        if d:at "metadata.uid" ~= state.uid then
          return t { en = "This Deployment was made anew. That works too, but takes the whole table down first. Start the step again and mend the one that stands.",
                     zh = "这个 Deployment 是删掉重做的。能用，但中途整桌都撤了。请重新开始这一步，直接修现有的那个。" }
        end
        local image = d:at "spec.template.spec.containers[0].image"
        if image == "ngnix" then
          return t { en = "The Deployment still asks for image `ngnix`. Deleting Pods does not help: new ones are made from the same template.",
                     zh = "Deployment 要的镜像还是 `ngnix`。删 Pod 没用：新 Pod 用的是同一个模板。" }
        end
      end,
      solve = function(k)
        k:apply "files/nginx.yaml"
        k:wait("deployments.apps", "nginx", "Available", 60)
      end,
      mutants = {
        nothing = function() end,
        pods_deleted = function(k) k:delete_all("pods", { labels = label }) end,
        another_typo = function(k)
          k:patch("deployments.apps", "nginx", { spec = { template = { spec = { containers = { { name = "nginx", image = "nginxx" } } } } } },
                  { type = "strategic" })
        end,
        made_anew = function(k) without(k, "deployments.apps", "nginx"); lay_the_table(k) end,
      },
    },

    step "again" {
      setup = function(k)
        lay_the_table(k)
        return { deployment = deployment(k):at "metadata.uid", service = service(k):at "metadata.uid",
                 address = service(k):at "spec.clusterIP", before = pods(k):uids() }
      end,
      ask = { choices = { "stay", "go", "refused" }, answer = "go" },
      check = function(k, state)
        local function another(handle, than) return handle:exists() and handle:at "metadata.uid" ~= than end
        expect(another(deployment(k), state.deployment), t { en = "the Deployment is a new one, not the old one left standing",
                                                             zh = "Deployment 是重新创建的，不是原来那个" })
        expect(another(service(k), state.service), t { en = "the Service is a new one, not the old one left standing",
                                                       zh = "Service 是重新创建的，不是原来那个" })
        pods(k):expect_gone(state.before, { all = true })
        expect_three_servings(k)
        expect_one_name(k)
      end,
      verify = expect_a_page,
      hint = function(k, state)
        local missing = nothing_there(k)
        if missing then
          return t { en = "The table is clear. Now the same file again.", zh = "桌子已经清空，再交一次同一个文件。" }
        end
        if deployment(k):at "metadata.uid" == state.deployment then
          return t { en = "The Deployment is still the old one: deleting its Pods only makes it cook again. Take the menu itself away.",
                     zh = "Deployment 还是原来那个：删它的 Pod，它只会照样补上。要撤的是菜单本身。" }
        end
        if service(k):at "metadata.uid" == state.service then
          return t { en = "The Service is still the old one. The file names both: take both away.",
                     zh = "Service 还是原来那个。文件里写了两样，两样都要撤。" }
        end
      end,
      solve = function(k)
        clear_the_table(k)
        lay_the_table(k)
      end,
      mutants = {
        nothing = function() end,
        only_taken_away = clear_the_table,
        only_restarted = function(k) k:restart("deployments.apps", "nginx") end,
        service_left = function(k) without(k, "deployments.apps", "nginx"); lay_the_table(k) end,
      },
    },
  },
}
