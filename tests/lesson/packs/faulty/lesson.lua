-- Steps that go wrong, each in its own way.
return lesson {
  id = "faulty", chapter = "one", level = "easy", minutes = 5,
  steps = {
    step "setup" {
      setup = function(k) k:scale("deployments.apps", "nobody", 3) end,
      check = function() end,
    },
    step "check" {
      check = function(k)
        local d = k:get("pods", "web-a")
        return d.spec.replicas
      end,
    },
    step "invariant" {
      invariant = function(k) error("this invariant is wrong") end,
      check = function() expect(false) end,
    },
    step "verify" {
      check = function() expect(true) end,
      verify = function(k) local x = nil; return x.y end,
    },
    step "endless" { check = function() while true do end end },
    step "state" { setup = function(k) return { f = function() end } end, check = function() end },
    step "hint" {
      check = function() expect(false) end,
      hint = function() error("no hint") end,
    },
    step "none" { check = function() end, setup = function() end },
  },
}
