-- A lesson with everything that the step machine knows.
local function note(k) return k:get("configmaps", "note") end

return lesson {
  id = "flow", chapter = "one", level = "easy", minutes = 5,
  needs = { "configmaps:create", "pods", "services", "deployments.apps" },
  steps = {
    step "guess" { ask = { choices = { "yes", "no" }, answer = "yes" } },
    step "paint" {
      setup = function(k)
        k:apply "files/note.yaml"
        return { uid = note(k):at "metadata.uid", was = note(k):at "data.colour" }
      end,
      check = function(k, state)
        note(k):expect { metadata = { uid = state.uid }, data = { colour = "red" } }
      end,
      hint = function(k, state)
        if note(k):at "data.colour" == "green" then
          return t { en = "It is green now.", zh = "现在是绿色。" }
        end
      end,
      solve = function(k) k:patch("configmaps", "note", { data = { colour = "red" } }) end,
      mutants = {
        green = function(k)
          k:patch("configmaps", "note", { data = { colour = "red" } })
          k:sleep(0.05)
          k:patch("configmaps", "note", { data = { colour = "green" } })
        end,
        right = function(k) k:patch("configmaps", "note", { data = { colour = "red" } }) end,
        impossible = function(k) k:patch("configmaps", "nowhere", {}) end,
      },
    },
    step "keep" {
      ask = { choices = { "more", "less" }, answer = "less" },
      invariant = function(k) k:list("pods", { labels = { app = "web" } }):expect_count(at_least(2)) end,
      check = function(k) k:list("pods", { labels = { app = "web" } }):expect_count(at_least(4)) end,
    },
    step "try" {
      check = function(k) k:get("services", "web"):expect { spec = { ports = any } } end,
      verify = function(k)
        local answer = k:http("service/web:80", "/")
        expect(answer.status == 200, t { en = "it answers", zh = "它应答" })
      end,
    },
    step "wait" {
      check = function(k) k:get("services", "web"):expect {} end,
      verify = function(k) k:wait("pods", "never", "Ready", 0.05) end,
    },
    step "past" {
      final = true,
      check = function(k)
        k:expect_seen("pods", "web-a", { status = { phase = "Failed" } })
        k:get("pods", "web-a"):expect { metadata = { labels = { app = "web" } } }
      end,
    },
    step "quiet" { check = function(k) k:expect_absent("pods", "noise", { for_seconds = 0.2 }) end },
  },
}
