"""A list of 10,000 Pods from a real API server, and the parsing of its pages alone."""
from bench import *
import pods

NS = "kubetutor-bench-pods"


def best(found, name):
    return min(found[name])


kubeconfig = live_kubeconfig()
with Folder() as folder:
    api = Api(kubeconfig, folder)
    note(f"{pods.COUNT} Pods in namespace {NS} (made in {pods.create(api, NS):.0f} s)")
    try:
        found = measure("list_pods", kubeconfig, "5")
        note(f"{found['pods'][0]:.0f} Pods, {found['pages'][0]:.0f} pages, {found['bytes'][0] / 1e6:.1f} MB")
        figure("parsed (best of 5)", best(found, "parse_ms"), "ms", "goal: under 600")
        figure("parsed (median)", statistics.median(found["parse_ms"]), "ms")
        figure("freed", best(found, "free_ms"), "ms")
        figure("listed, uncompressed: request to last page", best(found, "plain_ms"), "ms")
        figure("  of that on the processor", best(found, "plain_cpu_ms"), "ms")
        figure("listed, gzip as kubectl asks for", best(found, "compressed_ms"), "ms")
        figure("  of that on the processor", best(found, "compressed_cpu_ms"), "ms")
    finally:
        api.remove_namespace(NS)
