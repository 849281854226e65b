"""What a start costs: an empty program, and commands that need no cluster."""
from bench import *

ROUNDS = 40


def seconds(argv, environment):
    began = time.perf_counter()
    child = os.posix_spawn(argv[0], argv, environment, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    if os.waitpid(child, 0)[1] != 0:
        raise RuntimeError(f"{argv} failed")
    return time.perf_counter() - began


before_others()
with Folder() as folder:
    def run(what, *argv):
        times = [seconds(list(argv), folder.environment()) * 1000 for _ in range(ROUNDS)]
        figure(what, statistics.median(times), "ms")
        figure("  the quickest", min(times), "ms")
    run("an empty program", os.path.join(BUILD, "tests/bench/empty"))
    run("kubetutor version", PROGRAM, "version")
    run("kubetutor list", PROGRAM, "list")
