"""What the cases of scripts/bench share: figures, API calls, a program in a pty."""
import base64, http.client, json, os, re, shutil, ssl, statistics, subprocess, sys, tempfile, time

PROGRAM, BUILD = os.environ["KUBETUTOR"], os.environ["BENCH_BUILD"]
KEPT_ALIVE = 30  # seconds after which the server may have closed a connection


def figure(what, value, unit, goal=""):
    print(f"  {what:<66} {value:>9.2f} {unit:<4} {f'({goal})' if goal else ''}".rstrip(), flush=True)


def note(text):
    print(f"  {text}", flush=True)


def before_others():
    """What is started from now on does not wait for other programs' turns (as root), so that a busy machine spoils less."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    except PermissionError:
        note("not root: other programs on the machine have a share in these times")


def as_others():
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def values(text):
    """Lines of "name value" as lists by name."""
    found = {}
    for line in text.splitlines():
        name, value = line.split()
        found.setdefault(name, []).append(float(value))
    return found


def measure(program, *arguments):
    return values(subprocess.run([os.path.join(BUILD, "tests/bench", program), *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout)


def live_kubeconfig():
    """The cluster of scripts/live-cluster; the case ends here when it is down."""
    path = os.environ.get("KUBETUTOR_LIVE_KUBECONFIG")
    if not path:
        note("needs a cluster: scripts/live-cluster up (as root)")
        sys.exit(0)
    return path


class Folder:
    """A temporary home: nothing of the person who measures is read or changed."""
    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="kubetutor-bench-")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def write(self, name, text):
        path = os.path.join(self.path, name)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        return path

    def kubeconfig(self, server, authority=None):
        cluster = {"server": server, **({"certificate-authority": authority} if authority else {})}
        return self.write("kubeconfig", json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "bench", "contexts": [{"name": "bench", "context": {"cluster": "bench", "user": "bench"}}],
            "clusters": [{"name": "bench", "cluster": cluster}], "users": [{"name": "bench", "user": {}}]}))

    def environment(self):
        keep = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
        return {**keep, "HOME": self.path, "LANG": "C.UTF-8", "TERM": "linux", "SHELL": "/bin/sh"}


class Api:
    """Plain requests to the API server with the kubeconfig's client certificate."""
    def __init__(self, kubeconfig, folder):
        view = subprocess.run([os.environ["KUBECTL"], "--kubeconfig", kubeconfig, "config", "view", "--raw", "--minify", "-o", "json"],
                              check=True, stdout=subprocess.PIPE).stdout
        config = json.loads(view)
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.host, self.port = re.fullmatch(r"https://([^:/]+):(\d+)", cluster["server"]).groups()
        decode = lambda text: base64.b64decode(text).decode()
        self.tls = ssl.create_default_context(cadata=decode(cluster["certificate-authority-data"]))
        self.tls.load_cert_chain(folder.write("client.pem", decode(user["client-certificate-data"]) + decode(user["client-key-data"])))
        self.connection, self.used = None, 0

    def connect(self):
        return http.client.HTTPSConnection(self.host, int(self.port), context=self.tls, timeout=300)

    def socket(self):
        """For requests written by hand: answers can be waited for beside other descriptors."""
        connection = self.connect()
        connection.connect()
        return connection.sock

    def request(self, method, path, body=None, content_type="application/json"):
        if self.connection is None or time.monotonic() > self.used + KEPT_ALIVE:
            self.connection = self.connect()
        text = json.dumps(body) if body is not None else None
        self.connection.request(method, path, text, {"Content-Type": content_type} if text else {})
        answer = self.connection.getresponse()
        data = answer.read()
        self.used = time.monotonic()
        if answer.status >= 400 and answer.status != 404:
            raise RuntimeError(f"{method} {path}: {answer.status} {data[:300]!r}")
        return answer.status, json.loads(data) if data[:1] == b"{" else None

    def remove_namespace(self, name, seconds=600):
        self.request("DELETE", f"/api/v1/namespaces/{name}")
        end = time.monotonic() + seconds
        while self.request("GET", f"/api/v1/namespaces/{name}")[0] != 404:
            if time.monotonic() > end:
                raise RuntimeError(f"namespace {name} is still there after {seconds} s")
            time.sleep(0.5)
