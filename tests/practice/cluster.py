"""A practice cluster for tests: the real program with folders of its own, and a small HTTPS client with the learner's certificate."""
import base64
import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import tempfile
import time


class Cluster:
    def __init__(self, program, folder, *options):
        self.program, self.folder, self.options, self.process = os.path.abspath(program), os.path.abspath(folder), options, None
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        for name, below in (("XDG_STATE_HOME", "state"), ("XDG_RUNTIME_DIR", "run"), ("XDG_CONFIG_HOME", "config"), ("HOME", "home")):
            path = os.path.join(self.folder, below)
            os.makedirs(path, mode=0o700, exist_ok=True)
            self.environment[name] = path
        self.environment.pop("KUBECONFIG", None)
        self.kubeconfig = os.path.join(self.folder, "state/kubetutor/practice/kubeconfig")
        self.log = open(os.path.join(self.folder, "serve.log"), "ab")

    def start(self, wait=30):
        """Starts `cluster serve` and returns when it says that it is ready; the seconds that took."""
        ours, theirs = os.pipe()
        begun = time.monotonic()
        environment = dict(self.environment, KUBETUTOR_READY_FD=str(theirs))
        self.process = subprocess.Popen([self.program, "cluster", "serve", *self.options], env=environment, pass_fds=[theirs], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        os.close(theirs)
        word = b""
        with os.fdopen(ours, "rb", buffering=0) as pipe:
            while b"\n" not in word:
                part = pipe.read(600)
                if not part:
                    break
                word += part
        taken = time.monotonic() - begun
        if word != b"ready\n":
            self.process.wait(wait)
            raise RuntimeError("the cluster does not start: " + word.decode(errors="replace") + open(self.log.name, errors="replace").read()[-3000:])
        self.read_kubeconfig()
        return taken

    def read_kubeconfig(self):
        text = open(self.kubeconfig, encoding="utf-8").read()
        self.port = int(re.search(r"server: https://127\.0\.0\.1:(\d+)", text).group(1))
        self.tls = ssl.create_default_context(cadata=base64.b64decode(re.search(r"certificate-authority-data: (\S+)", text).group(1)).decode())
        with tempfile.NamedTemporaryFile() as pair:
            for name in ("client-certificate-data", "client-key-data"):
                pair.write(base64.b64decode(re.search(name + r": (\S+)", text).group(1)))
            pair.flush()
            self.tls.load_cert_chain(pair.name)

    def connect(self, timeout=30):
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.tls, timeout=timeout)

    def ask(self, method, path, body=None, connection=None, **headers):
        """(status, document)"""
        own = connection is None
        connection = connection or self.connect()
        try:
            data = json.dumps(body) if isinstance(body, (dict, list)) else body
            connection.request(method, path, data, {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}})
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else None
        finally:
            if own:
                connection.close()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
        self.log.close()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
