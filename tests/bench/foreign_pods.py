"""Ten thousand Pods of others in the cluster: what they cost an open lesson, a new one, and a list of them all."""
from bench import *
from half_done import HalfDone
import pods

NS, FOREIGN = "kubetutor-bench", "kubetutor-bench-pods"


def listed(kubeconfig):
    before_others()
    found = measure("list_pods", kubeconfig, "5")
    as_others()
    note(f"{found['pods'][0]:.0f} Pods, {found['pages'][0]:.0f} pages, {found['bytes'][0] / 1e6:.1f} MB")
    figure("the pages parsed (best of 5)", min(found["parse_ms"]), "ms", "goal: under 600")
    figure("  median", statistics.median(found["parse_ms"]), "ms")
    figure("  freed", min(found["free_ms"]), "ms")
    for name, what in ("plain", "the whole list, not compressed (best of 5)"), ("compressed", "the whole list, gzip, as it is asked for (best of 5)"):
        figure(what, min(found[f"{name}_ms"]), "ms")
        figure("  on the processor", min(found[f"{name}_cpu_ms"]), "ms")


kubeconfig = live_kubeconfig()
with Folder() as folder:
    api = Api(kubeconfig, folder)
    try:
        lesson = HalfDone(api, kubeconfig, NS, folder)
        before = lesson.terminal.rss_mib()
        figure("memory (RSS) in the lesson", before, "MiB", "goal: under 25")
        note(f"{pods.COUNT} Pods made in namespace {FOREIGN} in {pods.create(api, FOREIGN):.0f} s")
        lesson.terminal.settle(3)
        figure("  on top with the Pods, in the lesson that was open", lesson.terminal.rss_mib() - before, "MiB", "goal: at most 2")
        lesson.end()
        with Folder() as other: # a learner who begins anew
            lesson = HalfDone(api, kubeconfig, NS, other)
            figure("  on top with the Pods, in a lesson opened then", lesson.terminal.rss_mib() - before, "MiB", "goal: at most 2")
            lesson.end()
        listed(kubeconfig)
    finally:
        began = time.monotonic()
        api.remove_namespace(NS)
        api.remove_namespace(FOREIGN)
        note(f"removed in {time.monotonic() - began:.0f} s")
