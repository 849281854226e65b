#!/usr/bin/env python3
"""The same scenarios on a real cluster and on the practice cluster, and what differs of what follows.

    run.py record REAL.kubeconfig KUBECTL [SCENARIO...]               what a real cluster does, into recorded/NAME.json
    run.py compare OURS.kubeconfig KUBECTL KUBETUTOR [SCENARIO...]    the practice cluster, held against the records; ends 1 where something differs that differences.txt does not list
    run.py show CLUSTER.kubeconfig KUBECTL SCENARIO                   what one cluster does, in words

A scenario is a file of scenarios/, run in a namespace of its own (NS in its lines) that is made before and deleted after. Lines:
    # a comment; the first one says what is looked at
    apply                    and below it the manifest, each line behind "| "
    $ kubectl ARGUMENTS      run; what it prints and how it ends is compared
    ! kubectl ARGUMENTS      run; only how it ends is compared (also: "- kubectl ..." is not compared at all)
    sh COMMAND               the same as $ for a pipe; `kubectl` in it is the one under test
    until OBJECT {JSONPATH} VALUE    waits until kubectl get OBJECT -o jsonpath says so (a regular expression for the whole, "" for nothing), 90 s at most; not reached is a result, too
    pass 40s                 lets so much time pass: sleeps on a real cluster, steps the clock on the practice cluster
    cluster KIND...          cluster-scoped kinds of which the objects with label scenario=NS are looked at, too, and deleted at the end
    skip EXPRESSION          a regular expression for lines of the result that are not compared (say why in a comment)
At the end everything in the namespace is looked at: objects with their status, and events.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ("pods,replicasets.apps,deployments.apps,statefulsets.apps,daemonsets.apps,controllerrevisions.apps,replicationcontrollers,jobs.batch,cronjobs.batch,services,endpoints,"
         "endpointslices.discovery.k8s.io,persistentvolumeclaims,poddisruptionbudgets.policy,horizontalpodautoscalers.autoscaling,ingresses.networking.k8s.io,resourcequotas,"
         "configmaps,secrets,serviceaccounts,networkpolicies.networking.k8s.io,leases.coordination.k8s.io")
DEADLINE = 90
AT_ONCE = int(os.environ.get("FIDELITY_AT_ONCE", "8"))
DROPPED = {"uid", "resourceVersion", "managedFields", "selfLink"}
HASH = "[bcdfghjklmnpqrstvwxz2456789]"
MASKS = [(re.compile(pattern), mask) for pattern, mask in (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uid>"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?[+-]\d\d:?\d\d|Z)?( UTC)?", "<time>"),
    (r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "<time>"),
    (r"\b(containerd|docker)://[0-9a-f]{64}", "<container>"),
    (r"\b(sha256:)?[0-9a-f]{64}\b", "<digest>"),
    (r"\b(127\.0\.0\.1|10\.\d+\.\d+\.\d+)\b", "<ip>"),
    (r"\b\d+(\.\d+)?(ms|s|m\d+s|µs)\b(?= \(|\.| including)", "<duration>"),
    (r"Image size: \d+ bytes", "Image size: <n> bytes"),
    (r"\b3[0-2]\d{3}\b", "<node-port>"),
    (r"(?<=\s)\d+[smhd](\d+[smhd])?(?=\s|$)", "<age>"),
    (r"kube-api-access-%s{5}" % HASH, "kube-api-access-<random>"),
    (r"-%s{8,10}-%s{5}\b" % (HASH, HASH), "-<hash>-<random>"),  # of what is gone, or never came
    (r"-%s{8,10}\b(?!-)" % HASH, "-<hash>"),
    (r"<hash>-%s{5}\b" % HASH, "<hash>-<random>"),
    # The real cluster's stand-ins for several tags are one image; and what was pulled before depends on the other scenarios.
    (r'(ontainerStatuses\[\d+\]\.image = "docker\.io/library/[a-z]+):[^"]+"', r'\1:<tag>"'),
    (r'(Container image "([^"]+)" already present on machine and can be accessed by the pod|Successfully pulled image "([^"]+)" in .*)', r"Pulled \2\3"),
)]


def read(name):
    """A scenario as a list of (word, text)."""
    steps = []
    with open(os.path.join(HERE, "scenarios", name + ".case"), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line.startswith("| ") or line == "|":
                steps[-1][1] = (steps[-1][1] + "\n" if steps[-1][1] else "") + line[2:]
            elif line and not line.startswith("#"):
                word, _, rest = line.partition(" ")
                if word not in ("apply", "$", "!", "-", "sh", "until", "pass", "cluster", "skip"):
                    sys.exit(f"scenarios/{name}.case:{number}: no such step: {word}")
                steps.append([word, rest])
    return steps


class Cluster:
    def __init__(self, kubeconfig, kubectl, step=None):
        self.kubeconfig, self.kubectl, self.step = kubeconfig, kubectl, step

    def run(self, arguments, ns=None, text=None, timeout=60):
        command = [self.kubectl, "--kubeconfig", self.kubeconfig] + (["-n", ns] if ns else []) + arguments
        try:
            done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout, errors="replace")
            return done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            return 124, "", "(timed out)"

    def shell(self, command, ns, timeout=60):
        """`kubectl` is a function in it, with kubeconfig and namespace."""
        script = f'kubectl() {{ "{self.kubectl}" --kubeconfig "{self.kubeconfig}" -n "{ns}" "$@"; }}\n{command}\n'
        with tempfile.TemporaryDirectory() as folder:
            try:
                done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=timeout, cwd=folder, errors="replace", stdin=subprocess.DEVNULL)
                return done.returncode, done.stdout, done.stderr
            except subprocess.TimeoutExpired:
                return 124, "", "(timed out)"

    def until(self, text, ns):
        thing, path, wanted = re.match(r"(\S+(?: -l \S+| --all)?) (\{.*\}) ?(.*)$", text).groups()
        wanted = "" if wanted == '""' else wanted
        end, got = time.monotonic() + DEADLINE, ""
        while time.monotonic() < end:
            code, out, _ = self.run(["get"] + thing.split() + ["-o", "jsonpath=" + path, "--ignore-not-found"], ns)
            got = out.strip()
            if code == 0 and re.fullmatch(wanted, got):
                return True, got
            time.sleep(0.15)
        return False, got

    def let_pass(self, text):
        if self.step:
            subprocess.run([self.step, "cluster", "clock", "step", text], check=True, capture_output=True)
            return
        number, unit = re.fullmatch(r"(\d+)([sm])", text).groups()
        time.sleep(int(number) * (60 if unit == "m" else 1))


def generated(objects):
    """Names that were made up, each with what stands for it; longer ones first."""
    names = {}
    for item in objects:
        metadata = item.get("metadata", {})
        name, prefix = metadata.get("name", ""), metadata.get("generateName", "")
        for text in (metadata.get("labels", {}).get("pod-template-hash"), metadata.get("labels", {}).get("controller-revision-hash")):
            if text:
                names[text.rsplit("-", 1)[-1]] = "<hash>"
        if prefix and name.startswith(prefix):
            names[name] = prefix + "<random>"
        if item.get("kind") == "EndpointSlice":
            names[name] = name.rsplit("-", 1)[0] + "-<random>"
    return sorted(names.items(), key=lambda pair: -len(pair[0]))


def mask(text, names, ns):
    for name, stands in names:
        text = text.replace(name, stands)
    for name, stands in names:  # a made-up name may hold another
        if stands == "<hash>":
            text = text.replace(name, stands)
    text = text.replace(ns, "NS")
    for pattern, stands in MASKS:
        text = pattern.sub(stands, text)
    return text


def flatten(value, path, out):
    if isinstance(value, dict):
        for key in sorted(value):
            if key not in DROPPED:
                flatten(value[key], f"{path}.{key}" if path else key, out)
        if not value:
            out.append(f"{path} = {{}}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            flatten(item, f"{path}[{index}]", out)
        if not value:
            out.append(f"{path} = []")
    else:
        out.append(f"{path} = {json.dumps(value, ensure_ascii=False)}")


def look(cluster, ns, kinds):
    """Every object as lines, and every event as one; all masked."""
    objects = []
    served = KINDS
    code, out, err = cluster.run(["get", served, "-o", "json"], ns)
    if code != 0:
        return [f"cannot look: {err.strip()}"], [], []
    objects += json.loads(out)["items"]
    for kind in kinds:
        code, out, err = cluster.run(["get", kind, "-l", f"scenario={ns}", "-o", "json"])
        objects += json.loads(out)["items"] if code == 0 else []
    objects = [o for o in objects if (o["kind"], o["metadata"]["name"]) not in (("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default"))]
    code, out, err = cluster.run(["get", "events", "-o", "json"], ns)
    events = json.loads(out)["items"] if code == 0 else []
    return objects, events, generated(objects + [pod_of_event(e) for e in events])


def pod_of_event(event):
    """Pods that are gone are known by their events only: their names end as a ReplicaSet's or a Job's Pods do."""
    about = event.get("involvedObject", {})
    name = about.get("name", "")
    prefix = re.sub(f"{HASH}{{5}}$", "", name)
    return {"metadata": {"name": name, "generateName": prefix}} if about.get("kind") == "Pod" and prefix != name and prefix.endswith("-") else {}


def result(objects, events, names, ns):
    blocks = []
    for item in objects:
        lines = []
        flatten(item, "", lines)
        head = f"{item['kind']}/{item['metadata']['name']}"
        blocks.append((mask(head, names, ns), sorted(mask(line, names, ns) for line in lines)))
    lines = set()
    for event in events:
        about = event.get("involvedObject", {})
        source = event.get("source", {}).get("component") or event.get("reportingComponent", "")
        text = f"{event.get('type')} {event.get('reason')} {about.get('kind')}/{about.get('name')} {about.get('fieldPath', '')} {source}: {event.get('message', '').strip()}"
        if event.get("reason") != "Pulling":
            lines.add(mask(text, names, ns))
    return {"objects": sorted(blocks), "events": sorted(lines)}


def play(cluster, name):
    steps, ns = read(name), "kt-" + name
    said, kinds, skipped = [], [], []
    cluster.run(["create", "namespace", ns])
    end = time.monotonic() + 20
    while cluster.run(["get", "serviceaccount", "default"], ns)[0] != 0 and time.monotonic() < end:
        time.sleep(0.1)
    for word, text in steps:
        text = text.replace("NS", ns)
        if word == "apply":
            code, out, err = cluster.run(["apply", "-f", "-"], ns, text)
            said.append([word, code, sorted(out.splitlines()), err.strip()])
        elif word in "$!-" or word == "sh":
            code, out, err = cluster.shell(text, ns)
            if word in ("$", "sh"):
                said.append([f"$ {text}", code, out.splitlines(), err.strip()])
            elif word == "!":
                said.append([f"! {text}", code, [], ""])
        elif word == "until":
            reached, got = cluster.until(text, ns)
            said.append([f"until {text}", 0 if reached else 1, [] if reached else [got], ""])
        elif word == "pass":
            cluster.let_pass(text)
        elif word == "cluster":
            kinds += text.split()
        elif word == "skip":
            skipped.append(text)
    objects, events, names = look(cluster, ns, kinds)
    seen = result(objects, events, names, ns)
    seen["said"] = [[mask(head, names, ns), code, [mask(line, names, ns) for line in out], mask(err, names, ns)] for head, code, out, err in said]
    for kind in kinds:
        cluster.run(["delete", kind, "-l", f"scenario={ns}", "--wait=false"])
    cluster.run(["delete", "namespace", ns, "--wait=false"])
    return seen, skipped


def lines_of(seen):
    """A result as lines, each saying where it belongs."""
    out = []
    for head, code, lines, err in seen["said"]:
        out.append(f"[{head}] ends {code}")
        out += [f"[{head}] {re.sub(' {2,}', '  ', line.rstrip())}" for line in lines]
        out += [f"[{head}] stderr: {line}" for line in err.splitlines()]
    numbers = {}
    for head, lines in seen["objects"]:
        numbers[head] = numbers.get(head, 0) + 1
        out += [f"{head}{'#%d' % numbers[head] if numbers[head] > 1 else ''}: {line}" for line in lines]
    return out + [f"event: {line}" for line in seen["events"]]


def listed():
    """differences.txt: `SCENARIO: EXPRESSION`, then an indented reason."""
    entries = []
    with open(os.path.join(HERE, "differences.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith(("#", " ")):
                scenario, _, expression = line.rstrip("\n").partition(": ")
                entries.append((re.compile(scenario), re.compile(expression)))
    return entries


def names_of(arguments):
    there = sorted(f[:-5] for f in os.listdir(os.path.join(HERE, "scenarios")) if f.endswith(".case"))
    return arguments or there


def for_all(names, work):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        yield from zip(names, pool.map(work, names))


def record(kubeconfig, kubectl, names):
    cluster = Cluster(kubeconfig, kubectl)
    os.makedirs(os.path.join(HERE, "recorded"), exist_ok=True)
    for name, (seen, _) in for_all(names_of(names), lambda n: play(cluster, n)):
        with open(os.path.join(HERE, "recorded", name + ".json"), "w", encoding="utf-8") as file:
            json.dump(seen, file, indent=1, ensure_ascii=False, sort_keys=True)
            file.write("\n")
        missed = [head for head, code, _, _ in seen["said"] if head.startswith("until") and code != 0]
        print(f"{name}: {len(seen['objects'])} objects, {len(seen['events'])} kinds of events" + "".join(f"\n  not reached: {head}" for head in missed), flush=True)


def compare(kubeconfig, kubectl, kubetutor, names):
    cluster, known = Cluster(kubeconfig, kubectl, kubetutor), listed()
    alike = different = accepted = 0
    stepping = any(word == "pass" for n in names_of(names) for word, _ in read(n))
    quiet = [n for n in names_of(names) if not any(word == "pass" for word, _ in read(n))]
    timed = [n for n in names_of(names) if n not in quiet]  # a step of the clock is everybody's: these go alone

    def results():
        yield from for_all(quiet, lambda n: play(cluster, n))
        for name in timed if stepping else []:
            yield name, play(cluster, name)

    for name, (seen, skipped) in results():
        try:
            with open(os.path.join(HERE, "recorded", name + ".json"), encoding="utf-8") as file:
                wanted = lines_of(json.load(file))
        except FileNotFoundError:
            print(f"{name}: there is no record of a real cluster")
            different += 1
            continue
        got = lines_of(seen)
        missing, more = [l for l in wanted if l not in set(got)], [l for l in got if l not in set(wanted)]
        lines = [f"- {l}" for l in missing] + [f"+ {l}" for l in more]
        lines = [l for l in lines if not any(re.search(s, l) for s in skipped)]
        left = [l for l in lines if not any(s.fullmatch(name) and e.search(l) for s, e in known)]
        accepted += len(lines) - len(left)
        if left:
            different += 1
            print(f"{name}: {len(left)} lines differ (- real, + practice)")
            for line in left[:60]:
                print("   ", line[:400])
        else:
            alike += 1
    print(f"{alike} passed, {different} failed; {accepted} lines differ as listed")
    return 1 if different else 0


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    word, rest = sys.argv[1], sys.argv[2:]
    if word == "record":
        record(rest[0], rest[1], rest[2:])
    elif word == "compare":
        sys.exit(compare(rest[0], rest[1], rest[2], rest[3:]))
    elif word == "show":
        seen, _ = play(Cluster(rest[0], rest[1]), rest[2])
        print("\n".join(lines_of(seen)))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
