#!/usr/bin/env python3
"""run.py PROGRAM SOURCE [--update] [CASE...]: golden screens. Each file of cases/ is a script: a program in a terminal, keys in, screen out; what it shows is held
against the file of the same name in screens/. --update writes those anew: look at the difference before it is committed.

A case's lines:   size COLUMNSxROWS | env NAME=VALUE | args ... | wait REGEX | key K... | resize COLUMNSxROWS | signal NAME | screen NAME | mask REGEX TEXT
                  calm (waits until flashes are over) | hangup CODE (the terminal goes away; holds the exit code)
                  again (starts the program once more, with the same home)
                  end CODE (waits for the end, holds the exit code, and compares what is said afterwards)
                  cluster [start NAMESPACE] | cluster put NAME TASTE | cluster delete NAME | cluster stop (a small API server, api.py, with ConfigMaps)
Without `cluster` the kubeconfig names a port that refuses. Ends 0, or 1 with differences; 77 (skipped) without pyte."""
import difflib, os, pathlib, re, shutil, signal, sys, tempfile
import api
try:
    import terminal
except ImportError as error:
    print(f"golden screens are skipped: {error}; scripts/test installs it")
    sys.exit(77)

here = pathlib.Path(__file__).parent
KUBECONFIG = """apiVersion: v1
kind: Config
current-context: none
clusters: [{name: nowhere, cluster: {server: "%s"}}]
users: [{name: nobody, user: {token: x}}]
contexts: [{name: none, context: {cluster: nowhere, user: nobody}}]
"""


class Case:
    def __init__(self, path, program, source):
        self.name, self.program, self.source = path.stem, program, source
        self.lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
        self.size, self.args, self.out, self.failures = (80, 24), [], [], []
        self.masks = [(r"(?:next try in \d+ s|trying again[…~])( [·.] r: try now)? *", r"TRIES\1 "), (r"(?:\d+ 秒后重试|正在重试…)( · r：立即重试)? *", r"重试\1 ")]
        self.home = tempfile.mkdtemp(prefix="kt-golden-")
        self.environment = {"PATH": os.environ["PATH"], "HOME": self.home, "TERM": "xterm-256color", "LANG": "C.UTF-8", "KUBETUTOR_DATA": source,
                            "KUBECONFIG": self.home + "/kubeconfig", "XDG_RUNTIME_DIR": self.home, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
        self.write_kubeconfig("https://127.0.0.1:1")
        self.terminal = self.cluster = None

    def write_kubeconfig(self, server):
        path = pathlib.Path(self.home, "kubeconfig")
        path.write_text(KUBECONFIG % server)
        path.chmod(0o600)  # else the tutor warns

    def start(self):
        if self.terminal is None:
            self.terminal = terminal.Terminal([self.program, "--pack", str(here / "pack")] + self.args, *self.size, self.environment, self.home)
        return self.terminal

    def masked(self, text):
        for pattern, replacement in self.masks + [(re.escape(self.home), "HOME"), (re.escape(str(here)), "HERE")]:
            text = re.sub(pattern, replacement, text)
        return "\n".join(line.rstrip() for line in text.split("\n"))

    def snapshot(self, name, attributes=True):
        self.out += [f"== {name}"] + self.masked(self.terminal.text()).rstrip().split("\n")
        if attributes:
            self.out += ["-- looks"] + self.terminal.attributes()
        self.out.append("")

    def control(self, what="start", name="", taste=""):
        if what == "start":
            self.cluster = api.Cluster(*([name] if name else []))
            self.write_kubeconfig(self.cluster.address)
            self.masks.append((re.escape(self.cluster.address), "http://SERVER"))
            self.masks.append((re.escape(self.cluster.address.removeprefix("http://")), "SERVER"))
        elif what == "put":
            self.cluster.put(name, taste)
        elif what == "delete":
            self.cluster.delete(name)
        else:
            self.cluster.close()
            self.cluster = None

    def do(self, word, rest):
        if word == "size":
            self.size = tuple(map(int, rest.split("x")))
        elif word == "env":
            name, value = rest.split("=", 1)
            self.environment[name] = value
        elif word == "args":
            self.args = rest.split()
        elif word == "mask":
            self.masks.append(tuple(rest.split(" => ", 1)))
        elif word == "wait":
            if not self.start().wait(rest):
                self.failures.append(f'never showed "{rest}"')
        elif word == "key":
            for key in rest.split():
                self.start().send(terminal.key_bytes(key))
                self.terminal.settle()
        elif word == "resize":
            self.start().resize(*map(int, rest.split("x")))
            self.terminal.settle()
        elif word == "cluster":
            self.control(*rest.split())
        elif word == "signal":
            os.kill(self.start().pid, getattr(signal, "SIG" + rest))
        elif word in ("screen", "text"):
            self.start().settle()
            self.snapshot(rest, word == "screen")
        elif word == "end":
            code = self.start().end()
            if code != int(rest):
                self.failures.append(f"ended with {code}, wanted {rest}")
            self.out += ["== afterwards"] + self.masked(self.terminal.after()).rstrip().split("\n") + [""]
        elif word == "calm":
            self.start().settle(1.3)
        elif word == "hangup":
            code = self.start().hang_up()
            if code != int(rest):
                self.failures.append(f"ended with {code} when the terminal went, wanted {rest}")
        elif word == "again":
            self.terminal = None
        else:
            self.failures.append(f"unknown line: {word} {rest}")

    def run(self):
        try:
            for line in self.lines:
                word, _, rest = line.partition(" ")
                self.do(word, rest)
                if self.failures:
                    self.failures.append("the screen was:\n" + (self.terminal.text() if self.terminal else ""))
                    break
            if self.terminal is not None and self.terminal.code is None and not any(line.startswith(("end ", "hangup ")) for line in self.lines):
                self.terminal.send(b"\x03")
                self.terminal.end()
        finally:
            if self.cluster is not None:
                self.cluster.close()
            shutil.rmtree(self.home, ignore_errors=True)
        return "\n".join(self.out).rstrip() + "\n"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    if len(arguments) < 2:
        print(__doc__)
        return 2
    program, source, names = os.path.abspath(arguments[0]), os.path.abspath(arguments[1]), arguments[2:]
    failed = 0
    for path in sorted((here / "cases").glob("*.case")):
        if names and path.stem not in names:
            continue
        case = Case(path, program, source)
        got, expected = case.run(), here / "screens" / (path.stem + ".screen")
        if "--update" in sys.argv and not case.failures:
            expected.write_text(got)
        wanted = expected.read_text() if expected.exists() else ""
        if case.failures or got != wanted:
            failed += 1
            print(f"FAIL {path.stem}")
            print("\n".join(case.failures))
            if not case.failures:
                print("\n".join(difflib.unified_diff(wanted.splitlines(), got.splitlines(), "wanted", "got", lineterm="")))
        else:
            print(f"ok   {path.stem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
