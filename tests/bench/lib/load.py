"""A served API as practice_load asks it, with what its processes cost meanwhile."""
import base64, os, re, subprocess

from bench import BUILD, values

TICKS = os.sysconf("SC_CLK_TCK")
PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / (1 << 20)


class Target:
    """kubeconfig: with a client certificate; pids: processes that serve it (whose processor time and memory count)."""
    def __init__(self, name, kubeconfig, pids, folder):
        self.name, self.pids, self.folder = name, pids, folder
        with open(kubeconfig, encoding="utf-8") as file:
            text = file.read()
        self.host, self.port = re.search(r'server:\s*"?https://([^:\s"]+):(\d+)', text).groups()

        def file_of(key):
            inline = re.search(key + r'-data:\s*"?([^"\s]+)', text)
            if not inline:
                return re.search(key + r':\s*"?([^"\s]+)', text).group(1)
            return folder.write(f"{name}-{key}.pem", base64.b64decode(inline.group(1)).decode())

        self.arguments = [self.host, self.port, *(file_of(key) for key in ("certificate-authority", "client-certificate", "client-key"))]

    def _run(self, mode, *arguments):
        """What it printed, with cpu_ms of the server's processes."""
        before = self.cpu_ms()
        done = subprocess.run([os.path.join(BUILD, "tests/bench/practice_load"), *self.arguments, mode, *(str(argument) for argument in arguments)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{self.name}: {mode} {arguments}: {done.stderr.strip()}")
        return {**{name: each[0] for name, each in values(done.stdout).items()}, "cpu_ms": self.cpu_ms() - before}

    def ask(self, method, target, count=1, first=0, connections=1, body=None, type="application/json"):
        file = self.folder.write("body", body) if body else "-"
        found = self._run("ask", method, target, type if body else "-", file, first, count, connections)
        return {**found, "cpu_us": found["cpu_ms"] * 1e3 / count}

    def list(self, target, other):
        return self._run("list", target, other)

    def watch(self, target, change, watchers, turns):
        return self._run("watch", target, change, watchers, turns)

    def cpu_ms(self):
        """Of all threads, to a hundredth of a second."""
        total = 0
        for pid in self.pids:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                fields = file.read().rsplit(") ", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total * 1e3 / TICKS

    def exact_cpu_ms(self):
        """The same to the nanosecond, of the threads that are there now."""
        total = 0
        for pid in self.pids:
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="utf-8") as file:
                    total += int(file.read().split()[0])
        return total / 1e6

    def rss_mib(self):
        total = 0
        for pid in self.pids:
            with open(f"/proc/{pid}/statm", encoding="utf-8") as file:
                total += int(file.read().split()[1])
        return total * PAGE_MIB
