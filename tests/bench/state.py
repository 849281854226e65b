"""The practice cluster's state alone: writes, reads, starts, snapshots, watchers; in a file on this disk."""
from bench import *

before_others()
with Folder() as folder:
    found = {name: each[0] for name, each in measure("state", folder.path).items()}

for name, what in (("replace", "40,000 writes of 2.8 KB, 8 a commit"), ("history_full", "200,000 of them, old versions forgotten meanwhile")):
    figure(what, found[f"puts_{name}"], "/s", "goal: 14,000")
    figure("  on the processor, a write", found[f"cpu_us_{name}"], "µs")
    figure("  99 of 100 rounds took at most", found[f"p99_ms_{name}"], "ms", "goal: under 1")
    figure("  9,999 of 10,000 (the log is brought to its end)", found[f"p9999_ms_{name}"], "ms")
    figure("  the log grew to", found[f"log_mib_{name}"], "MiB")
    figure("  the eldest version listed", found[f"old_list_ms_{name}"], "ms")
    figure("  started again with all that history", found[f"restart_ms_{name}"], "ms")
for count in (100, 10000, 100000):
    figure(f"among {count:,} objects: a creation", found[f"create_us_{count}"], "µs")
    figure("  a deletion", found[f"delete_us_{count}"], "µs", "goal: as a creation")
    figure("  a look-up", found[f"get_ns_{count}"], "ns", "goal: under 1000")
for name, what in (("small10000", "10,000 objects of 500 bytes"), ("pods10000", "10,000 pods of 4.7 KB")):
    figure(f"start with {what}", found[f"start_ms_{name}"], "ms", "goal: under 200" if name == "pods10000" else "")
    figure("  memory", found[f"rss_{name}"], "MiB", f"the texts are {found[f'text_mib_{name}']:.1f}")
    figure("  a list of all of them", found[f"list_ms_{name}"], "ms")
for name, what, goal in (("objects1000", "1,000 objects of 2.8 KB", 20), ("snapshot10000", "10,000 pods", 500)):
    figure(f"load {what}", found[f"load_ms_{name}"], "ms", f"goal: under {goal}")
    figure("  reset", found[f"reset_ms_{name}"], "ms", f"goal: under {goal}")
    figure("  save, in a thread", found[f"save_ms_{name}"], "ms")
    figure("    others wait", found[f"save_start_ms_{name}"], "ms")
figure("from a write to the last of 100 watchers, at worst", found["watchers_ms"], "ms", "goal: far under 10")
figure("2 s without an event, on the processor", found["idle_cpu_ms"], "ms", "goal: 0")
