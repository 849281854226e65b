#!/usr/bin/env python3
"""Records the cases of this folder from a cluster where broken.yaml was applied: record.py KUBECTL. What a case expects (or expected) is kept."""
import json, pathlib, subprocess, sys

CASES = { # file: namespace, resource, name
    "image": ("image", "deployments.apps", "nginx"), "crash": ("crash", "deployments.apps", "worker"), "oom": ("oom", "pods", "hungry"),
    "pending-cpu": ("pending", "pods", "big"), "pending-selector": ("pending", "pods", "picky"), "init-waits": ("init", "pods", "myapp"),
    "init-crashes": ("init", "pods", "badinit"), "service-selects-nothing": ("service", "services", "nobody"),
    "service-port-name": ("service", "services", "wrongname"), "service-port-number": ("service", "services", "wrongport"),
    "claim": ("pvc", "persistentvolumeclaims", "data"), "pod-claim": ("pvc", "pods", "db"), "pod-no-claim": ("pvc", "pods", "noclaim"),
    "readiness": ("probe", "deployments.apps", "web"), "liveness": ("probe", "pods", "restless"), "quota": ("quota", "deployments.apps", "web"),
    "no-configmap": ("config", "pods", "noconfig"), "no-secret": ("config", "pods", "nosecret"), "no-key": ("config", "pods", "nokey"),
    "no-volume": ("config", "pods", "novolume"), "finalizer": ("deleting", "configmaps", "held"), "namespace-deleting": (None, "namespaces", "kt-kube-deleting"),
    "job": ("job", "jobs.batch", "import"), "command": ("command", "pods", "typo"), "condition": ("cr", "databases.kt-kube.example.com", "orders"),
    "not-found": ("service", "services", "wrongnam"), "fine": ("service", "deployments.apps", "web"),
}
LISTS = ["pods", "replicasets", "events", "configmaps", "persistentvolumeclaims"]
HERE = pathlib.Path(__file__).parent


def kubectl(*args):
    run = subprocess.run([sys.argv[1], *args], capture_output=True, text=True)
    return run.stdout if run.returncode == 0 else None


def clean(o):
    o["metadata"].pop("managedFields", None)
    (o["metadata"].get("annotations") or {}).pop("kubectl.kubernetes.io/last-applied-configuration", None)
    if o.get("kind") == "ConfigMap" and o["metadata"]["name"] == "kube-root-ca.crt":
        o["data"] = {"ca.crt": ""}
    return o


for case, (ns, resource, name) in CASES.items():
    path = HERE / (case + ".json")
    old = json.loads(path.read_text()) if path.exists() else {}
    where = ["-n", "kt-kube-" + ns] if ns else []
    lists = {l: [clean(i) for i in json.loads(kubectl("get", l, *where, "-o", "json"))["items"]] for l in LISTS + [resource.split(".")[0]]} if ns else {}
    target = kubectl("get", resource, name, *where, "-o", "json")
    log = old.get("log")
    for pod in lists.get("pods", []):
        statuses = pod["status"].get("initContainerStatuses", []) + pod["status"].get("containerStatuses", [])
        for c in statuses:
            if log is None and (name in pod["metadata"]["name"]) and (c["restartCount"] or "terminated" in c["state"] or "running" in c["state"]):
                log = kubectl("logs", pod["metadata"]["name"], *where, "-c", c["name"], "--tail=3")
    doc = {"resource": resource, "namespace": where[1] if ns else None, "name": name, "expect": old.get("expect", []),
           "target": clean(json.loads(target)) if target else None, "lists": lists, "log": log}
    path.write_text(json.dumps(doc, indent=1) + "\n")
