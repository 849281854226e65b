-- A kind of its own, shared with whoever else does this lesson.
return lesson {
  id = "shared", chapter = "one", level = "easy", minutes = 5, needs = { "widgets.demo.kubetutor.dev", "configmaps", "services", "endpointslices.discovery.k8s.io" },
  steps = {
    step "one" {
      setup = function(k)
        k:shared_crd "files/crd.yaml"
        k:apply { { apiVersion = "demo.kubetutor.dev/v1", kind = "Widget", metadata = { name = "w" } }, { apiVersion = "v1", kind = "Service", metadata = { name = "s" } } }
      end,
      check = function(k) k:get("widgets.demo.kubetutor.dev", "w"):expect { spec = { size = 3 } } end,
    },
  },
  cleanup = function(k) k:delete("configmaps", "left-by-the-lesson") end,
}
