#!/usr/bin/env python3
"""Sends random patches of all four kinds to a real cluster and through the practice cluster's code, and says where the answers differ.

    compare.py KUBECONFIG ANSWER NUMBER [--seed N] [--keep FOLDER [--every N]] [--show N] [--table yes]

ANSWER is the built program of answer.c. All but the patches that move the objects on are dry runs. What both refuse as no valid object (422 with causes that name fields) says
nothing about patches and is counted apart. --keep writes every Nth question and the server's answer to FOLDER/patches and FOLDER/managed, TYPE-KIND.case, a line each (results as merge
patches from the live object, which has a line of its own), for tests/practice/schema. --table also prints how often each verdict came. Ends 1 if answers differ.
"""
import copy
import json
import os
import random
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from real import Server  # noqa: E402

NAMESPACE = "kt-patches"
TYPES = {"json": "application/json-patch+json", "merge": "application/merge-patch+json", "strategic": "application/strategic-merge-patch+json",
         "apply": "application/apply-patch+yaml"}


# ---- random documents: small pools of names, so that patches meet ----

def some(r, make, most=3, least=0):
    return [make() for _ in range(r.randint(least, most))]


def unique(items, *keys):
    seen, kept = set(), []
    for item in items:
        key = tuple(item.get(k) for k in keys)
        if key not in seen:
            seen.add(key)
            kept.append(item)
    return kept


def words(r, most=3):
    return {r.choice(["app", "tier", "env", "x/y", "team", "a.b/c"]): r.choice(["web", "db", "", "v1", "1"]) for _ in range(r.randint(0, most))}


def metadata(r, extra=None):
    m = {}
    if r.random() < .6:
        m["labels"] = words(r)
    if r.random() < .5:
        m["annotations"] = words(r)
    if r.random() < .15:
        m["finalizers"] = r.sample(["kt.test/a", "kt.test/b", "kt.test/c"], r.randint(1, 3))
    if r.random() < .1:
        m["ownerReferences"] = unique([{"apiVersion": "v1", "kind": "ConfigMap", "name": r.choice("pq"), "uid": r.choice(["u1", "u2", "u3"])}
                                       for _ in range(r.randint(1, 2))], "uid")
    m.update(extra or {})
    return m


def quantity(r):
    return r.choice(["100m", "0.1", "1", "1500m", "64Mi", "1Gi", "2e3"])


def env(r):
    e = {"name": r.choice(["A", "B", "C", "D", "E"])}
    if r.random() < .7:
        e["value"] = r.choice(["1", "", "<x>", "two"])
    elif r.random() < .5:
        e["valueFrom"] = {"fieldRef": {"fieldPath": "metadata.name", "apiVersion": "v1"}}
    else:
        e["valueFrom"] = {"configMapKeyRef": {"name": r.choice("cd"), "key": "k", **({"optional": True} if r.random() < .5 else {})}}
    return e


def container(r, name=None):
    c = {"name": name or r.choice(["web", "side", "log", "aux"]), "image": r.choice(["nginx:1", "nginx:2", "busybox:1"]), "imagePullPolicy": r.choice(["Always", "IfNotPresent"])}
    if r.random() < .4:
        c["env"] = unique(some(r, lambda: env(r), 4), "name")
    if r.random() < .4:
        c["ports"] = unique(some(r, lambda: {"containerPort": r.choice([80, 81, 443, 53]), "protocol": r.choice(["TCP", "UDP"])}, 3),
                            "containerPort", "protocol")
    if r.random() < .3:
        c["args"] = some(r, lambda: r.choice(["-v", "-x", "run"]), 3)
    if r.random() < .3:
        c["resources"] = {"requests": {k: v for k, v in (("cpu", "100m"), ("memory", r.choice(["64Mi", "1Gi"]))) if r.random() < .7}}
    if r.random() < .25:
        c["volumeMounts"] = unique(some(r, lambda: {"name": r.choice(["v1", "v2"]), "mountPath": r.choice(["/a", "/b", "/c"])}, 2), "mountPath")
    if r.random() < .2:
        c["readinessProbe"] = r.choice([{"httpGet": {"path": "/", "port": 80, "scheme": "HTTP"}}, {"tcpSocket": {"port": r.choice([80, "http"])}, "periodSeconds": r.choice([5, 10])}])
    if r.random() < .2:
        c["securityContext"] = {k: v for k, v in (("runAsUser", 1000), ("privileged", False), ("capabilities", {"add": ["NET_ADMIN"], "drop": ["ALL"]})) if r.random() < .6}
    return c


def volume(r, name):
    return {"name": name, **r.choice([{"emptyDir": {}}, {"emptyDir": {"medium": "Memory"}}, {"configMap": {"name": r.choice("cd"), "defaultMode": 420}},
                                      {"secret": {"secretName": "s", "defaultMode": 420}}])}


def pod_spec(r):
    s = {"containers": unique(some(r, lambda: container(r), 3, 1), "name"), "volumes": [volume(r, "v1"), volume(r, "v2")]}
    if r.random() < .2:
        s["initContainers"] = [container(r, "init" + r.choice("12"))]
    if r.random() < .3:
        s["tolerations"] = some(r, lambda: {"key": r.choice("kl"), "operator": "Exists", "effect": r.choice(["NoSchedule", "NoExecute"])}, 2)
    if r.random() < .3:
        s["nodeSelector"] = words(r, 2)
    if r.random() < .2:
        s["imagePullSecrets"] = unique(some(r, lambda: {"name": r.choice("ijk")}, 3), "name")
    if r.random() < .2:
        s["hostAliases"] = unique(some(r, lambda: {"ip": r.choice(["1.1.1.1", "2.2.2.2"]), "hostnames": [r.choice("hi")]}, 2), "ip")
    if r.random() < .2:
        s["topologySpreadConstraints"] = unique(some(r, lambda: {"maxSkew": r.choice([1, 2]), "topologyKey": r.choice(["zone", "host"]), "whenUnsatisfiable": "ScheduleAnyway",
                                                                 "labelSelector": {"matchLabels": {"app": "web"}}}, 2), "topologyKey", "whenUnsatisfiable")
    if r.random() < .2:
        s["terminationGracePeriodSeconds"] = r.choice([5, 30])
    if r.random() < .2:
        s["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "k", "operator": "In", "values": r.sample("abc", 2)}]}]}}}
    return s


def template(r):
    return {"metadata": {"labels": {"app": "web", **words(r, 2), **{"app": "web"}}}, "spec": pod_spec(r)}


def deployment(r):
    s = {"replicas": r.choice([0, 0, 1, 2]), "selector": {"matchLabels": {"app": "web"}}, "template": template(r), "paused": True}
    if r.random() < .5:
        s["strategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": r.choice([1, "25%"]), "maxUnavailable": r.choice([1, "50%"])}}
    if r.random() < .2:
        s["minReadySeconds"] = r.choice([0, 5])
    return {"metadata": metadata(r), "spec": s}


def service(r):
    ports = unique(some(r, lambda: {"name": r.choice(["http", "dns", "tls"]), "port": r.choice([80, 53, 443]), "protocol": r.choice(["TCP", "UDP"]),
                                    "targetPort": r.choice([80, 8080, "http"])}, 3, 1), "port", "protocol")
    s = {"ports": unique(ports, "name"), "selector": words(r)}
    if r.random() < .3:
        s["sessionAffinity"] = "None"
    if r.random() < .3:
        s["externalIPs"] = r.sample(["1.2.3.4", "1.2.3.5", "1.2.3.6"], r.randint(0, 2))
    return {"metadata": metadata(r), "spec": s}


def config_map(r):
    return {"metadata": metadata(r), "data": {k: r.choice(["1", "x\ny", "<&>", ""]) for k in r.sample(["a", "b", "c", "d.e"], r.randint(0, 4))},
            **({"binaryData": {"z": "AAEC"}} if r.random() < .2 else {})}


def secret(r):
    return {"metadata": metadata(r), "data": {k: r.choice(["MQ==", "eA==", ""]) for k in r.sample("abcd", r.randint(0, 4))}, "type": "Opaque"}


def ingress(r):
    def path():
        return {"path": r.choice(["/", "/a"]), "pathType": "Prefix", "backend": {"service": {"name": r.choice("st"), "port": r.choice([{"number": 80}, {"name": "http"}])}}}
    return {"metadata": metadata(r), "spec": {"rules": some(r, lambda: {"host": r.choice(["a.io", "b.io"]), "http": {"paths": some(r, path, 2, 1)}}, 2, 1),
                                              **({"tls": [{"hosts": ["a.io"], "secretName": "s"}]} if r.random() < .3 else {})}}


def service_account(r):
    return {"metadata": metadata(r), "secrets": unique(some(r, lambda: {"name": r.choice("abc")}, 3), "name"),
            "imagePullSecrets": unique(some(r, lambda: {"name": r.choice("ij")}, 2), "name"), **({"automountServiceAccountToken": True} if r.random() < .3 else {})}


def node(r):
    return {"metadata": {k: v for k, v in metadata(r).items() if k != "finalizers"},
            "spec": {"taints": unique(some(r, lambda: {"key": r.choice("kl"), "effect": r.choice(["NoSchedule", "NoExecute"]), **({"value": "v"} if r.random() < .5 else {})}, 3),
                                      "key", "effect"), **({"unschedulable": True} if r.random() < .3 else {})}}


def node_status(r):
    return {"status": {"conditions": unique(some(r, lambda: {"type": r.choice(["Ready", "MemoryPressure", "X"]), "status": r.choice(["True", "False"]), "reason": r.choice("rs"),
                                                             "lastHeartbeatTime": None, "lastTransitionTime": None}, 3), "type"),
                       "addresses": unique(some(r, lambda: {"type": r.choice(["InternalIP", "Hostname"]), "address": r.choice(["1.1.1.1", "h"])}, 2), "type"),
                       "capacity": {"cpu": r.choice(["1", "2"])}}}


def cron_job(r):
    pod = pod_spec(r)
    pod["restartPolicy"] = "Never"
    return {"metadata": metadata(r), "spec": {"schedule": r.choice(["* * * * *", "@daily"]), "suspend": True,
                                              "jobTemplate": {"metadata": {"labels": words(r)}, "spec": {"template": {"metadata": {"labels": words(r)}, "spec": pod}}}}}


def stateful_set(r):
    return {"metadata": metadata(r), "spec": {"replicas": 0, "serviceName": "s", "selector": {"matchLabels": {"app": "web"}}, "template": template(r), "podManagementPolicy": "Parallel"}}


KINDS = {
    "Deployment": ("apps/v1", "deployments", deployment), "StatefulSet": ("apps/v1", "statefulsets", stateful_set), "CronJob": ("batch/v1", "cronjobs", cron_job),
    "Service": ("v1", "services", service), "ConfigMap": ("v1", "configmaps", config_map), "Secret": ("v1", "secrets", secret),
    "Ingress": ("networking.k8s.io/v1", "ingresses", ingress), "ServiceAccount": ("v1", "serviceaccounts", service_account), "Node": ("v1", "nodes", node),
    "Node/status": ("v1", "nodes", node_status),
}
WEIGHTS = [8, 2, 2, 3, 2, 1, 2, 2, 2, 1]
MERGE_KEYS = {"containers": "name", "initContainers": "name", "env": "name", "volumes": "name", "volumeMounts": "mountPath", "hostAliases": "ip", "imagePullSecrets": "name",
              "secrets": "name", "ownerReferences": "uid", "conditions": "type", "addresses": "type", "topologySpreadConstraints": "topologyKey"}


def merge_key(key, kind):
    if key == "ports":
        return "port" if kind == "Service" else "containerPort"
    return MERGE_KEYS.get(key)


# ---- random patches ----

def thin(r, v, keep=.6, nulls=0.0, always=()):
    """A part of a document; some of what is left out is null."""
    if isinstance(v, dict):
        out = {}
        for key, child in v.items():
            if key in always or r.random() < keep:
                out[key] = thin(r, child, keep, nulls, always)
            elif r.random() < nulls:
                out[key] = None
        return out
    if isinstance(v, list):
        return [thin(r, item, max(keep, .8), nulls, always) for item in v if r.random() < .85]
    return v


def spoil(r, v, chance):
    """Wrong types here and there."""
    if isinstance(v, dict):
        return {k: spoil(r, c, chance) if r.random() > chance else r.choice([5, "x", [], {}, True, None, [1], {"a": "b"}]) for k, c in v.items()}
    if isinstance(v, list):
        return [spoil(r, c, chance) if r.random() > chance else r.choice([5, "x", None, {}]) for c in v]
    return v


def direct(r, v, kind, live, chance):
    """Strategic directives here and there. live is what stands there, or None."""
    if not isinstance(v, dict):
        return v
    out = {}
    for key, child in v.items():
        there = live.get(key) if isinstance(live, dict) else None
        mk = merge_key(key, kind)
        if isinstance(child, list) and mk:
            items = []
            for item in child:
                old = next((x for x in there if x.get(mk) == item.get(mk)), None) if isinstance(there, list) and isinstance(item, dict) else None
                if r.random() < chance and isinstance(item, dict):
                    items.append({"$patch": "delete", **({mk: item[mk]} if mk in item and r.random() < .9 else {})})
                else:
                    items.append(direct(r, item, kind, old, chance))
            if r.random() < chance / 2:
                items.append({"$patch": r.choice(["replace", "replace", "replace", "merge", "frob"])})
            if r.random() < chance:
                pool = [x.get(mk) for x in (there or []) + items if isinstance(x, dict) and mk in x]
                order = [{mk: k} for k in dict.fromkeys(r.sample(pool, len(pool)) if r.random() < .5 else pool)]
                if r.random() < .1 and order:
                    order.pop()
                out["$setElementOrder/" + key] = order
            out[key] = items
        elif key == "finalizers" and isinstance(child, list) and r.random() < .4:
            out["$deleteFromPrimitiveList/finalizers"] = child
        else:
            out[key] = direct(r, child, kind, there, chance)
    if r.random() < chance / 4:
        out["$patch"] = r.choice(["replace", "replace", "delete", "merge"])
    if r.random() < chance / 4:
        out["$retainKeys"] = r.sample(list(out) + ["name"], r.randint(0, len(out)))
        if r.random() < .7:
            out["$retainKeys"] = sorted(set(out) - {"$retainKeys"} | set(out["$retainKeys"]))
    return out


def paths_of(v, at=""):
    yield at
    if isinstance(v, dict):
        for key, child in v.items():
            if key != "managedFields":
                yield from paths_of(child, at + "/" + key.replace("~", "~0").replace("/", "~1"))
    if isinstance(v, list):
        for i, child in enumerate(v):
            yield from paths_of(child, at + "/" + str(i))


def value_at(v, path):
    for part in path.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        v = v[int(part)] if isinstance(v, list) else v[part]
    return v


def json_patch(r, live, new):
    old_paths = [p for p in paths_of(live) if p.startswith(("/spec", "/data", "/metadata/labels", "/metadata/annotations", "/secrets"))]
    new_paths = [p for p in paths_of(new) if p]
    steps = []
    for _ in range(r.randint(1, 4)):
        op = r.choice(["add", "add", "remove", "replace", "replace", "move", "copy", "test"])
        path = r.choice(old_paths + new_paths) if op in ("add", "replace") or not old_paths else r.choice(old_paths)
        if r.random() < .1:
            path += r.choice(["/-", "/0", "/x", "/-1", "/99"])
        step = {"op": op, "path": path}
        try:
            step["value"] = value_at(live if op == "test" and r.random() < .8 else new, path)
        except (KeyError, IndexError, ValueError, TypeError):
            step["value"] = r.choice(["s", 1, None, {}, []])
        if op in ("remove", "move", "copy") or r.random() < .02:
            step.pop("value")
        if op in ("move", "copy"):
            step["from"] = r.choice(old_paths or ["/x"])
            if r.random() < .6:
                step["path"] = re.sub(r"[^/]+$", "other", step["from"]) if not re.search(r"/\d+$", step["from"]) else re.sub(r"\d+$", r.choice(["0", "-", "1"]), step["from"])
        steps.append(step)
    return steps


def make_patch(r, kind, type_, live, fresh):
    if type_ == "json":
        return json_patch(r, live, fresh)
    if type_ == "merge":
        patch = thin(r, fresh, r.choice([.3, .6, .9]), .15)
    elif type_ == "strategic":
        base = fresh if r.random() < .6 else {k: v for k, v in live.items() if k in ("spec", "data", "secrets", "status")}
        patch = thin(r, base, r.choice([.4, .7, .9]), .08, ("name", "containerPort", "mountPath", "port", "ip", "uid", "type", "topologyKey", "whenUnsatisfiable", "protocol", "image",
                                                               "imagePullPolicy", "targetPort"))
        patch = direct(r, patch, kind.split("/")[0], live, r.choice([0, .1, .3]))
    else:
        patch = thin(r, fresh, r.choice([.5, .8, 1]), .03, ("name", "containerPort", "mountPath", "port", "ip", "uid", "type", "topologyKey", "whenUnsatisfiable", "image"))
        version, _, _ = KINDS[kind]
        patch = {"apiVersion": version, "kind": kind.split("/")[0], **patch}
        patch.setdefault("metadata", {})
        if isinstance(patch["metadata"], dict):
            patch["metadata"]["name"] = live["metadata"]["name"]
        chance = r.random()
        if chance < .02:
            patch["metadata"]["managedFields"] = r.choice([[], [{}], None])
        elif chance < .06:
            spot = r.choice([patch, patch.get("spec"), patch["metadata"]])
            if isinstance(spot, dict):
                spot["unheardOf"] = 1
        elif chance < .1:
            lists = [v for v in (patch.get("secrets"), (patch.get("spec") or {}).get("ports"), (patch.get("spec") or {}).get("taints"),
                                 (((patch.get("spec") or {}).get("template") or {}).get("spec") or {}).get("containers")) if isinstance(v, list) and v]
            if lists:
                which = r.choice(lists)
                if r.random() < .5:
                    which.append(copy.deepcopy(which[0]))
                elif isinstance(which[0], dict):
                    for key in ("name", "port", "key"):
                        which[0].pop(key, None)
        elif chance < .11:
            patch["kind"] = "Other"
    return spoil(r, patch, .01) if r.random() < .15 else patch


# ---- comparing ----

def without_times(v):
    """Times of managedFields are told apart from none only; what no patch decides is left out."""
    v = copy.deepcopy(v)
    m = v.get("metadata", {})
    for entry in m.get("managedFields", []):
        if "time" in entry:
            entry["time"] = "T"
    for entry in [m]:
        entry.pop("generation", None)
        entry.pop("resourceVersion", None)
    return v


def server_answer(code, body, wants_status):
    if code in (200, 201):
        result = without_times(body)
        if not wants_status:
            result.pop("status", None)
        return {"result": result}
    causes = [[c.get("field", ""), c.get("message", ""), c.get("reason", "")] for c in (body.get("details") or {}).get("causes", [])]
    return {"code": code, "message": body.get("message", ""), "causes": causes}


def is_validation(answer):
    """A refusal that is not the patch's but that of what it made."""
    if answer.get("code") == 403:
        return True
    if answer.get("code") == 400 and re.search("does not match|the namespace of|the name of", answer["message"]):
        return True
    if answer.get("code") == 409 and not answer["message"].startswith("Apply failed"):
        return True
    return answer.get("code") == 422 and any(c[2].startswith("FieldValue") for c in answer["causes"]) and not any(c[0] == "patch" for c in answer["causes"])


def agrees(server, ours, patch):
    if "result" in server:
        if "result" not in ours:
            return False
        made = without_times(ours["result"])
        if "status" not in server["result"]:
            made.pop("status", None)
        return server["result"] == made
    if "result" in ours or (server["code"] != ours["code"] and {server["code"], ours["code"]} - {400, 422, 500}):
        return False
    if any(c[0] == "patch" for c in server["causes"]):
        return True
    if server["code"] == 409:
        return sorted(server["message"].split("\n")) == sorted(ours["message"].split("\n")) if len(server["causes"]) == 1 else \
            sorted(c[:2] for c in server["causes"]) == sorted([f, m] for f, m in ours["causes"])
    theirs, own = server["message"], ours["message"]
    if server["code"] == 500 and ours["code"] == 422 and theirs.startswith("failed to convert new object"):
        return own in theirs  # what an apply made cannot be decoded: the API says so
    if theirs != own and json.dumps(patch).count('"$') > 1:
        return True  # several things are wrong with it, and Go's maps have no order
    if server["code"] != ours["code"]:
        return False
    if "errors:" in theirs or "errors:" in own or "field not declared" in theirs:
        return theirs.split(":")[0] == own.split(":")[0]  # the server's walk has no order: which it meets first is chance
    return theirs == own or (len(own) >= 500 and theirs.startswith(own[:400]))


class Run:
    def __init__(self, server, program, seed):
        self.server, self.r = server, random.Random(seed)
        self.answer = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.live, self.counts = {}, {}

    def path_of(self, kind, name=""):
        version, plural, _ = KINDS[kind]
        root = "/api/v1" if version == "v1" else "/apis/" + version
        return root + ("" if plural == "nodes" else "/namespaces/" + NAMESPACE) + "/" + plural + ("/" + name if name else "") + ("/status" if name and "/" in kind else "")

    def fresh(self, kind):
        """A new object that several managers have touched."""
        version, _, make = KINDS[kind]
        main, r = kind.split("/")[0], self.r
        name = "kt-" + main.lower()
        where = self.path_of(main, name)
        code, found = self.server.ask("GET", where)
        if code == 200 and found["metadata"].get("finalizers"):
            self.server.ask("PATCH", where, {"metadata": {"finalizers": None}}, TYPES["merge"])
        self.server.ask("DELETE", where + "?gracePeriodSeconds=0")
        for _ in range(20):
            body = KINDS[main][2](r)
            body["metadata"].pop("ownerReferences", None)
            body["metadata"].pop("finalizers", None)
            body.update({"apiVersion": version, "kind": main})
            body["metadata"]["name"] = name
            code, made = self.server.ask("POST", self.path_of(main) + "?fieldManager=maker", body)
            if code == 201:
                break
            time.sleep(.2)
        else:
            raise SystemExit(f"cannot make a {main}: {made}")
        for step in range(r.randint(0, 4)):
            self.move_on(kind, made)
        self.live[kind] = self.server.ask("GET", where)[1]

    def move_on(self, kind, live):
        """A patch in earnest; nothing that another controller would act on."""
        r, main = self.r, kind.split("/")[0]
        type_ = r.choice(["apply", "apply", "strategic", "merge"])
        doc = KINDS[main][2](r)
        for key in ("ownerReferences", "finalizers"):
            doc["metadata"].pop(key, None)
        patch = thin(r, doc, .7, 0, ("name", "containerPort", "mountPath", "port", "ip", "uid", "type", "topologyKey", "whenUnsatisfiable", "image", "protocol", "targetPort", "imagePullPolicy",
                                     "paused", "suspend", "replicas"))
        if type_ == "apply":
            patch.update({"apiVersion": KINDS[main][0], "kind": main})
            patch.setdefault("metadata", {})["name"] = live["metadata"]["name"]
        query = f"?fieldManager={r.choice(['one', 'two', 'three', 'kubectl'])}" + ("&force=true" if type_ == "apply" else "")
        self.server.ask("PATCH", self.path_of(main, live["metadata"]["name"]) + query, patch, TYPES[type_])

    def ours(self, question):
        self.answer.stdin.write(json.dumps(question) + "\n")
        self.answer.stdin.flush()
        return json.loads(self.answer.stdout.readline())

    def by_defaults(self, kind, question, body, theirs, ours):
        """Whether only the kind's own defaults are missing: then the server makes its answer of ours, and who owns what of its answer we know, too."""
        made = copy.deepcopy(ours["result"])
        owned = made["metadata"].pop("managedFields", [])
        code, again = self.server.ask("PUT", self.path_of(kind, made["metadata"]["name"]) + "?dryRun=All&fieldManager=" + question["manager"], made)
        if code != 200:
            return False
        again = server_answer(code, again, "/" in kind)["result"]
        again["metadata"].pop("managedFields", None)
        if again != {**theirs["result"], "metadata": {k: v for k, v in theirs["result"]["metadata"].items() if k != "managedFields"}}:
            return False
        known = [owned]
        if question["type"] != "apply":  # of the server's defaults, and of what it drops before it stores
            patch = copy.deepcopy(body)
            patch["metadata"].pop("managedFields", None)
            update = self.ours({**question, "type": "update", "patch": patch})
            known.append(update.get("result", {}).get("metadata", {}).get("managedFields", []))
        return any(without_times({"metadata": {"managedFields": owned}})["metadata"]["managedFields"] == theirs["result"]["metadata"].get("managedFields", [])
                   for owned in known)

    def one(self):
        r = self.r
        kind = r.choices(list(KINDS), WEIGHTS)[0]
        if kind not in self.live or r.random() < .03:
            self.fresh(kind)
        live, version = self.live[kind], KINDS[kind][0]
        type_ = r.choice(list(TYPES))
        patch = make_patch(r, kind, type_, live, KINDS[kind][2](r))
        manager, force = r.choice(["one", "two", "three", "kubectl", "maker"]), r.random() < .4
        query = f"?dryRun=All&fieldManager={manager}" + ("&force=true" if force and type_ == "apply" else "")
        code, body = self.server.ask("PATCH", self.path_of(kind, live["metadata"]["name"]) + query, patch, TYPES[type_])
        theirs = server_answer(code, body, "/" in kind)
        times = [e["time"] for e in body.get("metadata", {}).get("managedFields", []) if "time" in e]
        question = {"time": max(times, default="2026-01-01T00:00:00Z"), "kind": version + " " + kind.split("/")[0], "version": version, "type": type_, "manager": manager, "force": force, "live": live, "patch": patch}
        if "/" in kind:
            question["subresource"] = "status"
        ours = self.ours(question)
        verdict = "invalid" if is_validation(theirs) else "same" if agrees(theirs, ours, patch) else "DIFFERENT"
        if verdict == "DIFFERENT":
            now = self.server.ask("GET", self.path_of(kind.split("/")[0], live["metadata"]["name"]))[1]
            if now["metadata"]["resourceVersion"] != live["metadata"]["resourceVersion"]:
                self.live[kind], verdict = now, "moved"  # a controller was faster
        if verdict == "DIFFERENT" and "result" in theirs and "result" in ours and self.by_defaults(kind, question, body, theirs, ours):
            verdict = "by defaults"
        about = (type_, kind, "ok" if "result" in theirs else str(theirs["code"]))
        self.counts[about, verdict] = self.counts.get((about, verdict), 0) + 1
        return verdict, question, theirs, ours


def differences(a, b, at=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            if key not in a or key not in b:
                yield f"{at}.{key}: {'server only' if key in a else 'ours only'}: {json.dumps(a.get(key, b.get(key)))[:300]}"
            else:
                yield from differences(a[key], b[key], at + "." + key)
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f"{at}[{i}]")
    elif a != b:
        yield f"{at}: server {json.dumps(a)[:300]} ours {json.dumps(b)[:300]}"


def changes(old, new):
    """A merge patch from one to the other."""
    made = {key: None for key in old if key not in new}
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(old.get(key), dict):
            below = changes(old[key], value)
            if below:
                made[key] = below
        elif old.get(key) != value:
            made[key] = value
    return made


def main():
    options = dict(zip(sys.argv[4::2], sys.argv[5::2]))
    server, program, number = Server(sys.argv[1], "kt-patches"), sys.argv[2], int(sys.argv[3])
    seed, show, every = int(options.get("--seed", time.time())), int(options.get("--show", 5)), int(options.get("--every", 1))
    while server.ask("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})[0] not in (201, 409) or \
            server.ask("GET", "/api/v1/namespaces/" + NAMESPACE)[1].get("metadata", {}).get("deletionTimestamp"):
        time.sleep(1)
    run, shown, kept = Run(server, program, seed), 0, {}
    start = time.time()
    for i in range(number):
        verdict, question, theirs, ours = run.one()
        decoding = any(c[0] == "patch" for c in theirs.get("causes", []))
        if decoding:
            theirs["message"] = ""  # it has the whole object in it
        exact = ("result" in theirs and not re.search(r"[:\[, ]null", json.dumps(theirs["result"]))) or (theirs.get("code") is not None and theirs["code"] == ours.get("code") and (decoding or theirs["message"] == ours["message"]))
        if verdict == "same" and exact and "--keep" in options and i % every == 0:
            answer = {"changes": changes(without_times(question["live"]), theirs["result"])} if "result" in theirs else {k: theirs[k] for k in ("code", "message")}
            place = "managed" if question["type"] == "apply" else "patches", question["type"] + "-" + question["kind"].split()[1].lower()
            kept.setdefault(place, []).append({**question, **answer})
        if verdict == "DIFFERENT" and shown < show:
            shown += 1
            print("----", question["type"], question["kind"], question["manager"], "force" if question["force"] else "")
            print("patch:", json.dumps(question["patch"])[:1500])
            if "result" in theirs and "result" in ours:
                made = without_times(ours["result"])
                if "status" not in theirs["result"]:
                    made.pop("status", None)
                for line in list(differences(theirs["result"], made))[:8]:
                    print("  ", line)
            else:
                print("   server:", json.dumps(theirs)[:700])
                print("   ours:  ", json.dumps(ours)[:700])
    run.answer.stdin.close()
    for path in ("/api/v1/namespaces/" + NAMESPACE, "/api/v1/nodes/kt-node"):
        server.ask("DELETE", path)
    for (folder, name), questions in kept.items():
        os.makedirs(os.path.join(options["--keep"], folder), exist_ok=True)
        with open(os.path.join(options["--keep"], folder, name + ".case"), "w") as file:
            live = None
            for question in questions:
                if question["live"] != live:
                    live = question["live"]
                    file.write(json.dumps({"live": live}, separators=(",", ":")) + "\n")
                file.write(json.dumps({k: v for k, v in question.items() if k != "live"}, separators=(",", ":")) + "\n")
    totals = {}
    for (about, verdict), count in sorted(run.counts.items()):
        totals[verdict] = totals.get(verdict, 0) + count
        if verdict == "DIFFERENT" or "--table" in options:
            print(*about, verdict, count)
    print(f"seed {seed}: {number} patches in {time.time() - start:.0f} s: {totals.get('same', 0)} the same, {totals.get('by defaults', 0)} but for the kind's defaults, {totals.get('invalid', 0)} no valid object, {totals.get('DIFFERENT', 0)} different")
    if run.answer.wait() != 0:  # the sanitizers have something to say
        return 1
    return totals.get("DIFFERENT", 0) != 0


if __name__ == "__main__":
    sys.exit(main())
