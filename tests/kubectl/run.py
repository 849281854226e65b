#!/usr/bin/env python3
"""One and the same kubectl script on two clusters, and every difference of what kubectl says.

    run.py KUBECTL OURS.kubeconfig REAL.kubeconfig [TOPIC...]      ends 1 when there is a difference that differences.txt does not list
    run.py --one KUBECTL CLUSTER.kubeconfig TOPIC...               only shows what one cluster answers

A topic is a file of topics/: each runs in a namespace of its own, made before and deleted after. Lines:
    kubectl ARGUMENTS [<<END ... END]    run, compared: exit code, stdout, stderr
    sh COMMAND                           for a pipe; `kubectl` in it is the one under test
    since 1.28: kubectl ...              from this minor of kubectl on; `until 1.30:` up to and with this one
    retry: kubectl ...                   again until it ends 0, at most 20 s (for what happens a moment later); the last answer counts
    # a comment
NS in a line is the topic's namespace; $UNSERVED matches the groups that only one of the two has. What differs from run to run (uids, versions, times, addresses, ages, generated names) is masked.
"""
import concurrent.futures
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MASKS = [(re.compile(pattern, flags), mask) for pattern, mask, flags in (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uid>", 0),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", "<time>", 0),
    (r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "<time>", 0),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4}", "<time>", 0),
    (r"/tmp/(LIVE|MERGED)-\d+", r"<\1>", 0),
    (r"(resourceVersion\"?:\s*)\"\d+\"", r'\1"<version>"', 0),
    (r"(resourceVersion=|resourceVersion: |resource version |Resource Version:\s+)\d+", r"\1<version>", 0),
    (r"(current: )\d+", r"\1<version>", 0),
    (r"https://[0-9.]+:(\d+|<port>)", "https://<server>", 0),
    (r"\b(127\.0\.0\.1|172\.18\.0\.2|10\.(77|99)\.\d+\.\d+)(:\d+\b|:<port>|\b)", "<server>", 0),
    (r"\b10\.96\.\d+\.\d+\b", "<ip>", 0),
    (r"eyJ[\w-]+\.[\w-]+\.[\w-]+", "<token>", 0),
    (r"-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?", "<certificate>", 0),
    (r"(?<=\s)\d+[smhd](\d+[smhd])?(?= ago|\s|$)", "<age>", re.M),
    (r"(?<=\s)<invalid>(?=\s|$)", "<age>", re.M),
    (r"\bnodePort: \d+", "nodePort: <port>", 0),
    (r"\b3[0-2]\d{3}/TCP", "<port>/TCP", 0),
    (r"(generated-|kube-api-access-|token-)[bcdfghjklmnpqrstvwxz2456789]{5}\b", r"\1<random>", 0),
    (r"[ \t]{2,}(?=\S)(?<!^)", "  ", 0),
    (r"[ \t]+$", "", re.M),
)]


def sorted_items(text):
    """Lines that begin with "* ", one after the other, are a set: the real server's order of some is a hash table's."""
    out, items = [], []
    for line in text.split("\n"):
        if line.startswith("* "):
            items.append(line)
            continue
        out += sorted(items) + [line]
        items = []
    return "\n".join(out + sorted(items))


def masked(text, cluster):
    for own, mask in cluster.own:
        text = own.sub(mask, text)
    for pattern, mask in MASKS:
        if pattern.pattern.startswith("[ \\t]{2,}"):  # columns move with the width of what was masked; the indent of a line stays
            text = re.sub(r"(?<=\S)[ \t]{2,}(?=\S)", mask, text)
        else:
            text = pattern.sub(mask, text)
    return sorted_items(text)


# Groups that only one of the two serves: for `grep -vE "$UNSERVED"` in a topic.
UNSERVED = "admissionregistration|apiregistration|certificates|flowcontrol|internal.apiserver|resource.k8s.io|storagemigration|metrics.k8s.io|example.com"


class Cluster:
    def __init__(self, kubectl, kubeconfig, folder):
        self.kubectl, self.kubeconfig, self.folder = kubectl, kubeconfig, folder
        os.makedirs(folder, exist_ok=True)
        port = re.search(r"server: [\"']?https://[^:]+:(\d+)", open(kubeconfig, encoding="utf-8").read()).group(1)
        self.own = [(re.compile(re.escape(folder)), "<folder>"), (re.compile(rf"(?<![\w-]){port}(?![\w-])"), "<port>")]  # not inside of a uid
        self.path = os.path.join(folder, "bin")
        os.makedirs(self.path, exist_ok=True)
        with open(os.path.join(self.path, "kubectl"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{kubectl}" "$@"\n')
        os.chmod(file.name, 0o755)

    def run(self, command, stdin, namespace):
        config = os.path.join(self.folder, "config-" + namespace)
        if not os.path.exists(config):
            shutil.copy(self.kubeconfig, config)
            os.chmod(config, 0o600)
            self.run_plain(["config", "set-context", "--current", "--namespace", namespace], config)
        environment = dict(os.environ, KUBECONFIG=config, HOME=self.folder, PATH=self.path + ":" + os.environ["PATH"], LANG="C.UTF-8", UNSERVED=UNSERVED)
        work = os.path.join(self.folder, namespace)
        os.makedirs(work, exist_ok=True)
        try:
            done = subprocess.run(["bash", "-c", command], input=stdin, env=environment, capture_output=True, text=True, timeout=60, cwd=work)
        except subprocess.TimeoutExpired:
            return "did not end within 60 s"
        return f"exit {done.returncode}\n{masked(done.stdout, self)}" + (f"--- stderr\n{masked(done.stderr, self)}" if done.stderr else "")

    def run_plain(self, arguments, config=None):
        return subprocess.run([self.kubectl, "--kubeconfig", config or self.kubeconfig, *arguments], capture_output=True, text=True,
                              env=dict(os.environ, HOME=self.folder), timeout=90)


def steps_of(path):
    lines = open(path, encoding="utf-8").read().split("\n")
    at = 0
    while at < len(lines):
        line, number = lines[at].strip(), at + 1
        at += 1
        if not line or line.startswith("#"):
            continue
        step = {"line": number, "since": 0, "until": 999, "retry": False, "stdin": ""}
        while True:
            bound = re.match(r"(since|until) 1\.(\d+): (.*)", line)
            if bound:
                step[bound.group(1)], line = int(bound.group(2)), bound.group(3)
            elif line.startswith("retry: "):
                step["retry"], line = True, line[len("retry: "):]
            else:
                break
        here = re.match(r"(.*?) <<END$", line)
        if here:
            line = here.group(1)
            end = lines.index("END", at)
            step["stdin"] = "\n".join(lines[at:end]) + "\n"
            at = end + 1
        step["command"] = line[len("sh "):] if line.startswith("sh ") else line
        yield step


def listed_differences():
    """lines of `TOPIC: COMMAND` (COMMAND a regular expression), each with `    why: ...` below it"""
    listed, path = [], os.path.join(HERE, "differences.txt")
    for line in open(path, encoding="utf-8") if os.path.exists(path) else ():
        found = re.match(r"(\w[\w-]*): (.+)", line)
        if found and not line.startswith((" ", "#")):
            listed.append((found.group(1), re.compile(found.group(2).strip()), [0]))
    return listed


def run_topic(topic, clusters, minor, report):
    namespace = f"kt-{topic}-{minor}-{os.getpid()}"  # of its own each time: what has a finalizer that nobody takes away keeps its namespace for ever
    for cluster in clusters:
        cluster.run_plain(["delete", "ns", namespace, "--ignore-not-found", "--timeout=60s"])
        cluster.run_plain(["create", "ns", namespace])
    for _ in range(100):  # a service account is there a moment after its namespace
        if all(cluster.run_plain(["-n", namespace, "get", "sa", "default"]).returncode == 0 for cluster in clusters):
            break
        time.sleep(0.2)
    for step in steps_of(os.path.join(HERE, "topics", topic + ".txt")):
        if not step["since"] <= minor <= step["until"]:
            continue
        command = re.sub(r"\bNS\b", namespace, step["command"])
        stdin = re.sub(r"\bNS\b", namespace, step["stdin"])

        def ask(cluster):
            end = time.monotonic() + 20
            while True:
                answer = cluster.run(command, stdin, namespace)
                if not step["retry"] or answer.startswith("exit 0\n") or time.monotonic() > end:
                    return answer
                time.sleep(0.3)
        with concurrent.futures.ThreadPoolExecutor(len(clusters)) as pool:
            report(topic, step, command, list(pool.map(ask, clusters)))
    for cluster in clusters:
        cluster.run_plain(["delete", "ns", namespace, "--wait=false"])


def main():
    arguments, one = sys.argv[1:], False
    if arguments and arguments[0] == "--one":
        one, arguments = True, arguments[1:]
    if len(arguments) < (2 if one else 3):
        sys.exit(__doc__)
    kubectl, configs, topics = arguments[0], arguments[1:2 if one else 3], arguments[2 if one else 3:]
    topics = topics or sorted(name[:-4] for name in os.listdir(os.path.join(HERE, "topics")) if name.endswith(".txt"))
    version = subprocess.run([kubectl, "version", "--client", "-o", "json"], capture_output=True, text=True, check=True).stdout
    minor = int(re.match(r"\d+", json.loads(version)["clientVersion"]["minor"]).group())
    listed, counts = listed_differences(), {"same": 0, "listed": 0, "different": 0}

    def report(topic, step, command, answers):
        if one:
            print(f"$ {command}\n{answers[0]}")
            return
        if answers[0] == answers[1]:
            counts["same"] += 1
            return
        for where, pattern, used in listed:
            if where == topic and pattern.search(command):
                used[0] += 1
                counts["listed"] += 1
                return
        counts["different"] += 1
        print(f"\n{topic}.txt:{step['line']}: {command}")
        for line in list(difflib.unified_diff(answers[1].splitlines(), answers[0].splitlines(), "the real cluster", "ours", lineterm="", n=2))[:60]:
            print("   ", line)
        sys.stdout.flush()

    with tempfile.TemporaryDirectory() as folder:
        clusters = [Cluster(os.path.abspath(kubectl), os.path.abspath(config), os.path.join(folder, f"c{number}")) for number, config in enumerate(configs)]
        for topic in topics:
            run_topic(topic, clusters, minor, report)
    if not one:
        print(f"kubectl 1.{minor}: {counts['same']} alike, {counts['listed']} different as listed, {counts['different']} different")
        sys.exit(counts["different"] != 0)


if __name__ == "__main__":
    main()
