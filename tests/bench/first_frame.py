"""How soon the screen is there, with a server that takes connections and never answers."""
import socket
from bench import *
from terminal import Terminal

ROUNDS, QUIET = 20, 0.15
STEPS = [("the first bytes", "first"), ("the lesson's text stands on the screen", "text"), ("the whole first frame", "frame")]


def start(argv, environment):
    terminal = Terminal(argv, environment)
    at = {}
    got = terminal.read(5)
    at["first"] = got and got[0]
    at["text"] = terminal.until(lambda: terminal.shows("nginx.yaml"), 5)
    # what comes later, after a pause, is news of the cluster
    terminal.cpu = terminal.cpu_ms()
    at["frame"] = max(at["text"], terminal.settle(QUIET) or 0) if at["text"] else None
    terminal.last = terminal.text()
    terminal.end()
    return {name: (when - terminal.began) * 1000 for name, when in at.items() if when}, terminal


def run(what, argv, environment, goal):
    found = [start(argv, environment) for _ in range(ROUNDS)]
    for label, name in STEPS:
        times = [at[name] for at, _ in found if name in at]
        if len(times) < ROUNDS:
            note(f"{what}: {label} did not come in {ROUNDS - len(times)} of {ROUNDS} starts; the screen was")
            print(found[0][1].last)
            return
        figure(f"{what}: {label} (median)", statistics.median(times), "ms", goal if name == "frame" else "")
        if name == "frame":
            figure("  the quickest", min(times), "ms")
            figure("  on the processor (median)", statistics.median(terminal.cpu for _, terminal in found), "ms")


with Folder() as folder, socket.create_server(("127.0.0.1", 0)) as blackhole:
    kubeconfig = folder.kubeconfig(f"https://127.0.0.1:{blackhole.getsockname()[1]}")
    run("a lesson", [PROGRAM, "--kubeconfig", kubeconfig, "learn", "nginx/hand-in"], folder.environment(), "goal: under 30")
