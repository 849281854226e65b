#!/usr/bin/env python3
"""kill.py PROGRAM TIMES: kills the practice cluster with -9 so many times while it is written to; nothing that it acknowledged may be lost, and no
resourceVersion may be used twice."""
import random
import sys
import tempfile
import threading
import time

from cluster import Cluster

WRITERS = 4
CONFIGMAPS = "/api/v1/namespaces/default/configmaps"


class Writer(threading.Thread):
    def __init__(self, cluster, number, last):
        super().__init__()
        self.cluster, self.number = cluster, number
        self.kept = dict(last)  # name -> resourceVersion acknowledged; None: acknowledged as deleted
        self.unsure = set()     # asked for when the server died: either is right
        self.versions = []
        self.begun = threading.Event()

    def run(self):
        try:
            connection = self.cluster.connect(10)
            while True:
                name = f"w{self.number}-{random.randrange(40)}"
                self.unsure.add(name)
                version = self.kept.get(name)
                body = {"metadata": {"name": name}, "data": {"n": str(random.random()), "x": "y" * random.randrange(2000)}}
                if version is None:
                    code, document = self.cluster.ask("POST", CONFIGMAPS, body, connection)
                elif random.random() < 0.2:
                    code, document = self.cluster.ask("DELETE", f"{CONFIGMAPS}/{name}", None, connection)
                else:
                    code, document = self.cluster.ask("PUT", f"{CONFIGMAPS}/{name}", body, connection)
                if code not in (200, 201):
                    raise AssertionError(f"{name}: {code} {document}")
                if document["kind"] == "Status":
                    self.kept[name] = None
                else:
                    self.kept[name] = document["metadata"]["resourceVersion"]
                    self.versions.append(int(self.kept[name]))
                self.unsure.discard(name)
                self.begun.set()
        except AssertionError as fault:
            self.fault = fault
        except (OSError, ValueError, Exception) as end:  # the kill; what exactly breaks is Python's affair
            self.end = end
        finally:
            self.begun.set()


def main():
    program, times = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    random.seed(seed)
    unsure = set()
    acknowledged, used, highest, writes = [{} for _ in range(WRITERS)], set(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(program, folder)
        for time_number in range(times):
            cluster.start()
            code, listed = cluster.ask("GET", CONFIGMAPS)
            assert code == 200, listed
            there = {item["metadata"]["name"]: item["metadata"]["resourceVersion"] for item in listed["items"]}
            for number in range(WRITERS):
                kept = acknowledged[number]
                for name, version in list(kept.items()):
                    if name in unsure:
                        kept[name] = there.get(name)
                    elif there.get(name) != version:
                        sys.exit(f"seed {seed}, kill {time_number}: {name} was acknowledged at version {version}, and is at {there.get(name)}")
                for name, version in there.items():
                    if name.startswith(f"w{number}-"):
                        kept[name] = version
            highest = max(highest, int(listed["metadata"]["resourceVersion"]))
            writers = [Writer(cluster, number, acknowledged[number]) for number in range(WRITERS)]
            for writer in writers:
                writer.start()
            for writer in writers:
                writer.begun.wait(30)
            time.sleep(random.random() * 0.06)
            cluster.kill()
            unsure = set()
            for number, writer in enumerate(writers):
                writer.join()
                if hasattr(writer, "fault"):
                    sys.exit(f"seed {seed}, kill {time_number}: {writer.fault}")
                acknowledged[number] = writer.kept
                unsure |= writer.unsure
                writes += len(writer.versions)
                for version in writer.versions:
                    if version in used or version <= highest:
                        sys.exit(f"seed {seed}, kill {time_number}: version {version} was used twice (before this start the newest was {highest})")
                    used.add(version)
            highest = max([highest, *used]) if used else highest
            used = {version for version in used if version > highest - 100000}
            for name in unsure:
                acknowledged[int(name[1])].setdefault(name, None)
        cluster.log.close()
    print(f"{times} kills, {writes} writes acknowledged, none lost, no version twice (seed {seed})")


if __name__ == "__main__":
    main()
