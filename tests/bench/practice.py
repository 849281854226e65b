"""The practice cluster over the wire beside a real API server (scripts/live-cluster; LIVE_ONLY=api will do): the same client asks both in turn. Behind the
practice cluster's figures stand the real one's and the ratio."""
import json, os, sys, time

sys.path.append(os.path.join(os.path.dirname(__file__), "../practice"))
from bench import *
from cluster import Cluster
from load import Target
from real import Server
import pods

NS, COUNT, CONNECTIONS = "kubetutor-bench", 10000, 8
PODS = f"/api/v1/namespaces/{NS}/pods"
LABEL = {"metadata": {"labels": {"changed": "turn-{n}"}}}


def pod(name, **labels):
    """A pod as text with places for its number; about 4.7 KB as the server gives it."""
    body = pods.pod(0)
    text = json.dumps(body).replace(body["metadata"]["name"], name).replace("web-0", "web-{m}")
    body = json.loads(text)
    body["metadata"]["labels"].update(labels)
    return json.dumps(body)


def both(targets, what, unit, goal, measured):
    """measured(target): a figure"""
    ours = measured(targets[0])
    real = measured(targets[1]) if len(targets) > 1 else None
    beside = f"; real: {real:.4g}, {max(real, ours) / max(min(real, ours), 1e-9):.3g} times {'as much' if real > ours else 'less'}" if real is not None else ""
    figure(what, ours, unit, (goal + beside).lstrip("; "))


def starts(folder):
    taken = []
    for number in range(5):
        cluster = Cluster(PROGRAM, os.path.join(folder.path, f"start-{number}"))
        taken.append(cluster.start() * 1e3)
        connection = cluster.connect()
        connection.request("GET", "/readyz")
        if connection.getresponse().read() != b"ok":
            raise RuntimeError("not ready")
        connection.close()
        cluster.stop()
    figure("start to /readyz, keys and certificates made (median of 5)", statistics.median(taken), "ms", "goal: under 30")
    figure("  the best", min(taken), "ms")


def target_of(cluster, folder):
    return Target("practice", cluster.kubeconfig, [cluster.process.pid], folder)


def real_target(folder):
    """None: it is down."""
    path = os.environ.get("KUBETUTOR_LIVE_KUBECONFIG")
    if not path:
        note("no real API server beside it: LIVE_ONLY=api scripts/live-cluster up (as root)")
        return None
    pids = []
    for name in ("apiserver", "etcd"):
        with open(os.path.join(os.path.dirname(path), f"{name}.pid"), encoding="utf-8") as file:
            pids.append(int(file.read()))
    return Target("real", path, pids, folder)


def make_namespace(kubeconfig):
    server = Server(kubeconfig, "bench")
    server.ask("POST", "/api/v1/namespaces", {"metadata": {"name": NS}})
    end = time.monotonic() + 30
    while server.ask("GET", f"/api/v1/namespaces/{NS}/serviceaccounts/default")[0] != 200:
        if time.monotonic() > end:
            raise RuntimeError("no ServiceAccount default")
        time.sleep(0.05)
    return server


def creates(targets):
    body, found = pod("pod-{n}"), {}

    def rate(target):
        found[target.name] = target.ask("POST", PODS, COUNT, connections=CONNECTIONS, body=body)
        return found[target.name]["per_s"]
    both(targets, f"{COUNT:,} pods created on {CONNECTIONS} connections ({len(body) / 1e3:.1f} KB each, {found_size(targets)})", "/s", "goal: 8,000", rate)
    both(targets, "  processor of the server, each", "µs", "", lambda target: found[target.name]["cpu_us"])
    both(targets, "  half of them took at most", "ms", "", lambda target: found[target.name]["p50_ms"])
    both(targets, "  99 of 100 took at most", "ms", "", lambda target: found[target.name]["p99_ms"])


def found_size(targets):
    """Of a stored pod; the first of its kind warms the server up."""
    size = targets[0].ask("POST", PODS, 1, 900000, body=pod("first-{n}"))["bytes"]
    for target in targets[1:]:
        target.ask("POST", PODS, 1, 900000, body=pod("first-{n}"))
    return f"{size / 1e3:.1f} as answered"


def reads(targets, watch_version):
    found = {}

    def ask(name, key, run):
        def measured(target):
            found[name, target.name] = run(target)
            return found[name, target.name][key]
        return measured
    again = lambda name, key: lambda target: found[name, target.name][key]
    get = lambda target: target.ask("GET", f"{PODS}/pod-{{n}}", COUNT, connections=CONNECTIONS)
    both(targets, f"get of one pod on {CONNECTIONS} connections", "/s", "", ask("get", "per_s", get))
    both(targets, "  processor of the server, each", "µs", "", again("get", "cpu_us"))
    both(targets, "  half of them took at most", "ms", "", again("get", "p50_ms"))
    both(targets, "  99 of 100 took at most", "ms", "goal: under 1", again("get", "p99_ms"))
    runs = lambda target: min((target.list(PODS, f"{PODS}/pod-000007") for _ in range(5)), key=lambda each: each["list_ms"])
    both(targets, f"a list of all {COUNT:,} (best of 5, beside another connection's gets)", "ms", "goal: under 110", ask("list", "list_ms", runs))
    both(targets, "  as long as", "MB", "", lambda target: found["list", target.name]["bytes"] / 1e6)
    both(targets, "  its first byte", "ms", "", again("list", "first_ms"))
    both(targets, "  99 of 100 of those gets took at most", "ms", "goal: under 2", again("list", "others_p99_ms"))
    watch = lambda target: target.watch(f"{PODS}?watch=1&resourceVersion={watch_version(target)}", f"{PODS}/pod-000007", 100, 50)
    both(targets, "from a patch's first byte to the last of 100 watchers (median of 50)", "ms", "goal: under 10", ask("watch", "p50_ms", watch))
    both(targets, "  the worst", "ms", "", again("watch", "worst_ms"))
    return found["list", "practice"]["bytes"]


def removals(targets):
    found = {}

    def remove(target):
        found[target.name] = target.ask("DELETE", f"{PODS}?gracePeriodSeconds=0")
        return found[target.name]["p50_ms"] / 1e3
    both(targets, f"deletecollection of them, grace 0", "s", "goal: under 3", remove)
    both(targets, "  processor of the server", "s", "", lambda target: found[target.name]["cpu_ms"] / 1e3)


def costs(target):
    """Processor time a request."""
    each = {}
    first = costs.next
    costs.next += 2000
    each["create"] = target.ask("POST", PODS, 2000, first, CONNECTIONS, pod("cost-{n}"))["cpu_us"]
    each["get"] = target.ask("GET", f"{PODS}/cost-{{n}}", 2000, first, CONNECTIONS)["cpu_us"]
    each["merge patch"] = target.ask("PATCH", f"{PODS}/cost-{{n}}", 2000, first, CONNECTIONS, json.dumps(LABEL), "application/merge-patch+json")["cpu_us"]
    each["list of 10 by a label"] = target.ask("GET", f"{PODS}?labelSelector=few%3Dyes", 2000, 0, CONNECTIONS)["cpu_us"]
    each["delete, grace 0"] = target.ask("DELETE", f"{PODS}/cost-{{n}}?gracePeriodSeconds=0", 2000, first, CONNECTIONS)["cpu_us"]
    return each


costs.next = 500000


def flat(target):
    target.ask("POST", PODS, 10, 0, CONNECTIONS, pod("few-{n}", few="yes"))
    target.ask("POST", PODS, 90, 0, CONNECTIONS, pod("pod-{n}"))
    few = costs(target)
    more = target.ask("POST", PODS, 99900, 90, CONNECTIONS, pod("pod-{n}"))
    figure("99,900 more pods created on 8 connections", more["per_s"], "/s")
    figure("  processor of the server, each", more["cpu_us"], "µs")
    many = costs(target)
    for name, cost in many.items():
        figure(f"processor of a {name} among 100,000", cost, "µs", f"goal: as among 100: {few[name]:.1f}")
    note(f"memory with 100,000: {target.rss_mib():.0f} MiB")


def run(folder, beside):
    cluster = Cluster(PROGRAM, os.path.join(folder.path, "practice"))
    cluster.start()
    try:
        target = target_of(cluster, folder)
        figure("memory (RSS), empty", target.rss_mib(), "MiB", "goal: under 20" + (f"; real: {beside.rss_mib():.0f} of API server and etcd" if beside else ""))
        time.sleep(1)
        before = target.exact_cpu_ms()
        time.sleep(10)
        figure("10 s idle, on the processor", target.exact_cpu_ms() - before, "ms", "goal: 0")
        targets = [target, beside] if beside else [target]
        servers = {"practice": make_namespace(cluster.kubeconfig)}
        if beside:
            servers["real"] = make_namespace(os.environ["KUBETUTOR_LIVE_KUBECONFIG"])
        empty = target.rss_mib()
        creates(targets)
        text = reads(targets, lambda target: servers[target.name].ask("GET", PODS + "?limit=1")[1]["metadata"]["resourceVersion"])
        both(targets, "memory (RSS) with them", "MiB", "", lambda target: target.rss_mib())
        note(f"  {(target.rss_mib() - empty) / (text / (1 << 20)):.2f} times their compact JSON, without the empty server's {empty:.0f} MiB (goal: under 2)")
        cluster.stop()
        cluster = Cluster(PROGRAM, os.path.join(folder.path, "practice"))
        figure("started again with them on disk", cluster.start() * 1e3, "ms", "goal: under 300")
        targets[0] = target = target_of(cluster, folder)
        figure("  memory", target.rss_mib(), "MiB", f"{target.rss_mib() / (text / (1 << 20)):.2f} times their compact JSON, goal: under 2")
        before = target.exact_cpu_ms()
        time.sleep(10)
        figure("  10 s idle, on the processor", target.exact_cpu_ms() - before, "ms", "goal: 0")
        removals(targets)
        flat(target)
        before = target.exact_cpu_ms()
        time.sleep(10)
        figure("10 s idle then, on the processor", target.exact_cpu_ms() - before, "ms", "goal: 0")
    finally:
        cluster.stop()
        if beside:
            servers = Server(os.environ["KUBETUTOR_LIVE_KUBECONFIG"], "bench")
            servers.ask("DELETE", f"/api/v1/namespaces/{NS}")


with Folder() as folder:
    before_others()
    starts(folder)
    run(folder, real_target(folder))
