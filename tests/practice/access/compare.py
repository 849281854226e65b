#!/usr/bin/env python3
"""Makes random roles and bindings on a real cluster, asks it random SubjectAccessReviews, and says where the practice cluster's code answers differently.

    compare.py KUBECONFIG ANSWER NUMBER [--seed N]

ANSWER is the built program of answer.c. What is allowed is compared, and that a reason stands where the real one gives one. Everything made is named kt-random-* and removed at the
end. Ends 1 if answers differ.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from real import Server  # noqa: E402

NAMESPACES = ["kt-random-a", "kt-random-b"]
RBAC = "rbac.authorization.k8s.io"
VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "impersonate", "*"]
GROUPS = ["", "apps", "batch", "x.example.com", "*"]
RESOURCES = ["pods", "pods/log", "pods/status", "deployments", "deployments/scale", "jobs", "secrets", "nodes", "*/status", "*/scale", "*", "pods/*", "widgets"]
NAMES = ["a", "b", "*"]
PATHS = ["/metrics", "/api/*", "/x", "/x/*", "/x/y*", "*", "/x**", "/"]
USERS = ["ann", "bob", "system:serviceaccount:kt-random-a:s", "system:serviceaccount:kt-random-b:s", "system:anonymous"]
TEAMS = ["devs", "ops", "system:authenticated", "system:serviceaccounts:kt-random-a"]


def some(chance, words, least=1):
    return chance.sample(words, chance.choice([least, least, 1, 2, 3]) or 1)


def rule(chance, cluster):
    if cluster and chance.random() < 0.25:
        return {"verbs": some(chance, ["get", "post", "*", "put"]), "nonResourceURLs": some(chance, PATHS)}
    made = {"verbs": some(chance, VERBS), "apiGroups": some(chance, GROUPS), "resources": some(chance, RESOURCES)}
    if chance.random() < 0.25:
        made["resourceNames"] = some(chance, NAMES)
    return made


def subject(chance, cluster):
    kind = chance.random()
    if kind < 0.4:
        return {"kind": "User", "apiGroup": RBAC, "name": chance.choice(USERS)}
    if kind < 0.7:
        return {"kind": "Group", "apiGroup": RBAC, "name": chance.choice(TEAMS)}
    made = {"kind": "ServiceAccount", "name": chance.choice(["s", "t"])}
    if cluster or chance.random() < 0.7:
        made["namespace"] = chance.choice(NAMESPACES)
    else:
        made["namespace"] = NAMESPACES[0]
    return made


def objects(chance, number):
    for i in range(number):
        cluster = chance.random() < 0.5
        namespace = None if cluster else chance.choice(NAMESPACES)
        meta = {"name": "kt-random-%d" % i} if cluster else {"name": "kt-random-%d" % i, "namespace": namespace}
        yield "clusterroles" if cluster else "roles", namespace, {"metadata": meta, "rules": [rule(chance, cluster) for _ in range(chance.randint(0, 3))]}
        wide = cluster and chance.random() < 0.4
        if cluster and not wide:
            namespace = chance.choice(NAMESPACES)
        meta = {"name": "kt-random-%d" % i} if wide else {"name": "kt-random-%d" % i, "namespace": namespace}
        role = "kt-random-%d" % (i if chance.random() < 0.95 else i + 1000)
        yield ("clusterrolebindings" if wide else "rolebindings"), None if wide else namespace, {
            "metadata": meta, "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole" if cluster else "Role", "name": role},
            "subjects": [subject(chance, wide) for _ in range(chance.randint(1, 2))]}


def question(chance):
    spec = {"user": chance.choice(USERS + ["eve"]), "groups": chance.sample(TEAMS, chance.randint(0, 2))}
    if chance.random() < 0.2:
        spec["nonResourceAttributes"] = {"verb": chance.choice(["get", "post", "delete"]), "path": chance.choice(["/metrics", "/api", "/api/v1", "/x", "/x/y", "/x/yz", "/version", "/healthz", "/"])}
        return spec
    resource = chance.choice(["pods", "deployments", "jobs", "secrets", "nodes", "widgets", "*"])
    spec["resourceAttributes"] = {"verb": chance.choice(VERBS), "group": chance.choice(GROUPS), "resource": resource, "namespace": chance.choice(NAMESPACES + [""]),
                                  "name": chance.choice(["", "a", "b", "c"]), "subresource": chance.choice(["", "", "status", "scale", "log", "*"])}
    return spec


def path_of(plural, namespace, name=""):
    return "/apis/%s/v1/%s%s/%s" % (RBAC, "namespaces/%s/" % namespace if namespace else "", plural, name)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kubeconfig")
    parser.add_argument("answer")
    parser.add_argument("number", type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, server = random.Random(options.seed), Server(options.kubeconfig, "kt-access")
    made, differences, allowed = [], 0, 0
    for namespace in NAMESPACES:
        server.ask("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    try:
        for plural, namespace, document in objects(chance, 40):
            code, answer = server.ask("POST", path_of(plural, namespace), document)
            if code != 201:
                sys.exit("cannot make %s: %s" % (plural, answer.get("message")))
            made.append((plural, namespace, answer))
        time.sleep(2)
        specs = [question(chance) for _ in range(options.number)]
        lines = [json.dumps({"put": [plural, document]}) for plural, _, document in made] + [json.dumps({"ask": spec}) for spec in specs]
        ours = subprocess.run([options.answer], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout.split("\n")
        for spec, mine in zip(specs, ours):
            code, answer = server.ask("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {"spec": spec})
            real, got = answer.get("status", {}), json.loads(mine)
            allowed += real.get("allowed") is True
            if real.get("allowed") != got.get("allowed") or bool(real.get("reason")) != bool(got.get("reason")):
                differences += 1
                print("%s\n  real %s\n  ours %s" % (json.dumps(spec), json.dumps(real), json.dumps(got)))
    finally:
        for plural, namespace, document in made:
            server.ask("DELETE", path_of(plural, namespace, document["metadata"]["name"]))
        for namespace in NAMESPACES:
            server.ask("DELETE", "/api/v1/namespaces/" + namespace)
    print("%d questions, %d allowed, %d different" % (options.number, allowed, differences))
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
