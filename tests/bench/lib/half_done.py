"""The lesson nginx, open at its step hand-in, on the live cluster: the Deployment has two Pods where three are wanted, the Service is there."""
import time
from bench import PROGRAM
from terminal import Terminal

LABEL = {"app-name": "my-nginx"}
DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "nginx"},
              "spec": {"replicas": 2, "selector": {"matchLabels": LABEL},
                       "template": {"metadata": {"labels": LABEL}, "spec": {"containers": [{"name": "nginx", "image": "nginx"}]}}}}
SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "nginx"}, "spec": {"selector": LABEL, "ports": [{"port": 80}]}}


class HalfDone:
    def __init__(self, api, kubeconfig, ns, folder):
        self.api, self.ns = api, ns
        if api.request("GET", f"/api/v1/namespaces/{ns}")[0] == 404:
            api.request("POST", "/api/v1/namespaces", {"metadata": {"name": ns}})
        self.terminal = Terminal([PROGRAM, "--kubeconfig", kubeconfig, "-n", ns, "--yes", "learn", "nginx/hand-in"], folder.environment())
        self.see(lambda: self.terminal.shows("your answer first"), 90, "the question")
        self.terminal.type("3")
        self.see(lambda: "checks 0 of" in self.verdict(), 10, "the checks")
        api.request("POST", f"/apis/apps/v1/namespaces/{ns}/deployments", DEPLOYMENT)
        api.request("POST", f"/api/v1/namespaces/{ns}/services", SERVICE)
        self.see(lambda: self.terminal.shows("spec.replicas is 2"), 10, "the verdict on the Deployment")
        self.see(self.ready, 120, "two ready Pods")
        self.terminal.settle(2)

    def see(self, condition, seconds, what):
        if self.terminal.until(condition, seconds) is None:
            raise RuntimeError(f"{what} did not come in {seconds} s; the screen is\n{self.terminal.text()}")

    def ready(self):
        time.sleep(0.02)
        return self.api.request("GET", f"/apis/apps/v1/namespaces/{self.ns}/deployments/nginx")[1].get("status", {}).get("readyReplicas") == 2

    def verdict(self):
        """The line "checks 2 of 5"."""
        return next((line for line in self.terminal.screen.display if "─ checks" in line), "")

    def end(self):
        self.terminal.end()
