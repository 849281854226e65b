#!/usr/bin/env python3
"""Kubernetes' own end-to-end suite on a practice cluster: the conformance specs of some groups (SIGs), against what listed.txt says of them.

    run.py E2E.TEST KUBECTL KUBECONFIG [--quick | --all] [--only REGULAR-EXPRESSION] [--sigs api-machinery,auth,...] [--folder FOLDER]

Without an option every spec that listed.txt does not name is run, and must pass; --quick leaves out those of slow.txt. --all runs the listed ones,
too, each for at most a minute: one that passes is told, and is a failure as well, because its line in listed.txt has to go.
Logs and ginkgo's reports are kept in FOLDER (a temporary one where none is named: then only of what failed, on stdout).
Ends 1 when a spec that is not listed fails, when a listed one passes, or when a file names a spec that the suite has not got.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SIGS = "api-machinery,auth,cli"
TOGETHER = 6  # processes of the suite at the same time: most of their time is waiting, each has some 200 MB
WANTED_LIMIT, LISTED_LIMIT = 600, 60  # seconds: for one process of specs that should pass, for a listed spec
FLAGS = ["-provider=skeleton", "-dump-logs-on-failure=false", "-disable-log-dump", "--ginkgo.no-color", "--ginkgo.silence-skips", "--ginkgo.grace-period=10s"]

Result = collections.namedtuple("Result", "state seconds message log")


class Suite:
    """One e2e.test against one cluster."""

    def __init__(self, program, kubectl, kubeconfig, folder):
        self.command = [program, "-kubeconfig", kubeconfig, "-kubectl-path", kubectl, *FLAGS]
        self.folder, self.runs = folder, 0
        self.environment = dict(os.environ, HOME=folder, KUBECONFIG=kubeconfig)

    def start(self, options, seconds):
        """One run of the program: its report (None where it wrote none) and its log's path."""
        self.runs += 1
        report, log = (os.path.join(self.folder, f"run-{self.runs:03}.{ending}") for ending in ("json", "log"))
        with open(log, "wb") as out:
            run = subprocess.Popen(self.command + options + [f"--ginkgo.json-report={report}", f"--ginkgo.timeout={seconds}s"],
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.environment, cwd=self.folder, start_new_session=True)
            try:
                run.wait(seconds + 30)
            except subprocess.TimeoutExpired:
                pass
            try:
                os.killpg(run.pid, signal.SIGKILL)  # what it started, too: kubectl proxy
            except ProcessLookupError:
                pass
            run.wait()
        try:
            with open(report, encoding="utf-8") as file:
                return json.load(file)[0]["SpecReports"] or [], log
        except (OSError, ValueError, IndexError):
            return None, log

    def specs(self, sigs):
        """{name: is it serial} of the conformance specs of the groups."""
        groups = " || ".join("sig-" + sig for sig in sigs)
        reports, log = self.start(["--ginkgo.dry-run", f"--ginkgo.label-filter=Conformance && ({groups})"], 120)
        if reports is None:
            sys.exit(f"the suite does not tell its specs:\n{tail(log)}")
        return {name_of(report): report.get("IsSerial", False) for report in reports if report["LeafNodeType"] == "It" and report["State"] == "passed"}

    def run(self, names, seconds):
        """{name: Result} of these specs, one after the other in one process."""
        focus = "|".join(re.escape(name) + "$" for name in names)
        reports, log = self.start([f"--ginkgo.focus={focus}"], seconds)
        results = {name: Result("never ended", seconds, tail(log), log) for name in names}
        before = next((report for report in reports or [] if report["State"] == "failed" and report["LeafNodeType"] != "It"), None)
        for report in reports or []:
            name = name_of(report)
            if name not in results or report["LeafNodeType"] != "It":
                continue
            failure = (report if report["State"] != "skipped" else before or report).get("Failure") or {}
            message = failure.get("Message", "") + "\n    at " + "{FileName}:{LineNumber}".format_map(failure.get("Location", {"FileName": "", "LineNumber": 0}))
            results[name] = Result(report["State"], report["RunTime"] / 1e9, message, log)
        return results


def name_of(report):
    return " ".join(text for text in [*(report["ContainerHierarchyTexts"] or []), report["LeafNodeText"]] if text)


def tail(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return "".join(file.readlines()[-20:])


def read_names(path):
    """{name: reason} of a file with `REASON:` lines and below each the names of specs, indented."""
    names, reason = {}, ""
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            reason = line.split(":")[0].strip()
        elif line.strip() in names:
            sys.exit(f"{path}:{number}: this spec stands there twice")
        else:
            names[line.strip()] = reason
    return names


def shares(names, count):
    """The names dealt out to at most `count` processes, in turn."""
    return [share for share in (names[at::count] for at in range(count)) if share]


def run_all(suite, jobs, told):
    """jobs: (names, seconds, together); those that may not run together with others come last, one by one."""
    results = {}
    with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
        for done in concurrent.futures.as_completed([pool.submit(suite.run, names, seconds) for names, seconds, together in jobs if together]):
            results.update(done.result())
            told(len(results))
    for names, seconds, together in jobs:
        if not together:
            results.update(suite.run(names, seconds))
            told(len(results))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "kubectl", "kubeconfig"):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--sigs", default=SIGS)
    parser.add_argument("--folder", type=os.path.abspath)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or temporary
        os.makedirs(folder, exist_ok=True)
        sys.exit(judge(asked, Suite(asked.program, asked.kubectl, asked.kubeconfig, folder)))


def judge(asked, suite):
    started, bad = time.monotonic(), 0
    specs = suite.specs(asked.sigs.split(","))
    listed, slow = (read_names(os.path.join(HERE, name)) for name in ("listed.txt", "slow.txt"))
    if asked.sigs == SIGS:
        for name in [name for name in [*listed, *slow] if name not in specs]:
            bad += 1
            print(f"no spec of the suite is called: {name}")
    chosen = [name for name in sorted(specs, key=lambda name: (name not in slow, name)) if re.search(asked.only, name)]
    wanted = [name for name in chosen if name not in listed and not (asked.quick and name in slow)]
    jobs = [(share, WANTED_LIMIT, True) for share in shares([name for name in wanted if not specs[name]], TOGETHER)]
    jobs += [([name for name in wanted if specs[name]], WANTED_LIMIT, False)]
    if asked.all:
        jobs += [([name], LISTED_LIMIT, not specs[name]) for name in chosen if name in listed]

    def told(count):
        print(f"    {count} done after {time.monotonic() - started:.0f} s", flush=True)
    results = run_all(suite, [job for job in jobs if job[0]], told)
    for name, result in sorted(results.items()):
        passed = result.state == "passed"
        if passed != (name in listed):
            continue
        bad += 1
        if passed:
            print(f"\npasses, though listed ({listed[name]}): {name}")
        else:
            print(f"\n{result.state} after {result.seconds:.0f} s: {name}\n    {result.message[:2000]}\n    {result.log}")
    if asked.folder:
        with open(os.path.join(asked.folder, "results.json"), "w", encoding="utf-8") as file:
            json.dump({name: result._asdict() for name, result in results.items()}, file, indent=1)
    passed = sum(results[name].state == "passed" for name in wanted)
    reasons = collections.Counter(reason for name, reason in listed.items() if name in chosen)
    print(f"e2e: {len(chosen)} conformance specs of {asked.sigs}: {passed} of {len(wanted)} passed in {time.monotonic() - started:.0f} s"
          f"; {sum(reasons.values())} listed ({', '.join(f'{count} {reason}' for reason, count in reasons.most_common())})")
    return bad != 0


if __name__ == "__main__":
    main()
