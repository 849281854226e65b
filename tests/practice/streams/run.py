#!/usr/bin/env python3
"""Real kubectl against the API server with somebody behind it who pretends to run Pods (tests/practice/api/fake_backend.h).

    run.py PRACTICE_SERVE KUBECTL...

Says what is wrong, and ends with 1 then.
"""
import fcntl, os, pty, select, socket, struct, subprocess, sys, tempfile, termios, threading, time

serve, kubectls = sys.argv[1], sys.argv[2:]
folder = tempfile.mkdtemp(prefix="streams-")
os.environ["KUBECONFIG"] = folder + "/kubeconfig"
POD = """
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  nodeName: node1
  containers: [{name: c, image: nginx, ports: [{name: http, containerPort: 80}]}]
"""
STATUS = ('{"status":{"phase":"Running","podIP":"10.244.0.5","podIPs":[{"ip":"10.244.0.5"}],"containerStatuses":[{"name":"c","ready":true,"image":"x","imageID":"x",'
          '"restartCount":0,"state":{"running":{"startedAt":"2026-01-01T00:00:00Z"}}}]}}')
wrong = 0


def run(kubectl, *words, given=b"", seconds=30):
    done = subprocess.run([kubectl, *words], input=given, capture_output=True, timeout=seconds)
    return done.returncode, done.stdout, done.stderr


def expect(what, has, wants):
    global wrong
    if has != wants:
        wrong += 1
        print(f"{what}: {str(has)[:300]} instead of {str(wants)[:300]}")


def in_terminal(kubectl, *words):
    """Types into a terminal; gives what was seen, and the exit code."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execvp(kubectl, [kubectl, *words])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 99, 0, 0))
    seen = b""

    def until(text):
        nonlocal seen
        end = time.monotonic() + 20
        while text not in seen and time.monotonic() < end:
            if select.select([fd], [], [], 0.2)[0]:
                try:
                    seen += os.read(fd, 4096)
                except OSError:
                    return
    for wait, keys in ((b"$ ", b"ls\r"), (b"ran ls\r\n$ ", b"ab\x03"), (b"^C\r\n$ ", b"exit 7\r")):
        until(wait)
        os.write(fd, keys)
    until(b"no such text, so until the end")
    return seen, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def echo(port, size=2_000_000):
    """So many bytes through a forwarded port that sends them back."""
    data = os.urandom(size)
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        sender = threading.Thread(target=connection.sendall, args=(data,))
        sender.start()
        got = b""
        while len(got) < size:
            piece = connection.recv(65536)
            if not piece:
                break
            got += piece
        sender.join()
    return got == data


def http(port, path="/"):
    return subprocess.run(["curl", "-s", "-m", "20", f"http://127.0.0.1:{port}{path}"], capture_output=True).stdout


def forward(kubectl):
    process = subprocess.Popen([kubectl, "port-forward", "pod/web", ":80", ":8081", ":7", ":8085", ":99"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        ports = {}
        while len(ports) < 5:
            words = process.stdout.readline().decode().split()
            if not words:
                break
            if "127.0.0.1" in words[2]:
                ports[int(words[4])] = int(words[2].split(":")[1])
        expect("http through a port", http(ports[80], "/a?b").split(b"\r\n")[0], b"GET /a?b HTTP/1.1")
        expect("chunks through a port", http(ports[8081]), b"hello world")
        expect("a large answer through a port", len(http(ports[8085])), 6 << 20)
        expect("echo through a port", echo(ports[7]), True)
        many = [threading.Thread(target=lambda: expect("one of many", http(ports[8081]), b"hello world")) for _ in range(12)]
        for one in many:
            one.start()
        for one in many:
            one.join()
        expect("a refused port", http(ports[99]), b"")
        time.sleep(0.5)
    finally:
        process.terminate()
    expect("the refusal's words", b"error forwarding port 99 to pod web" in process.communicate()[1], True)


def check(kubectl):
    bytes_ = os.urandom(3_000_000)
    expect("exec", run(kubectl, "exec", "web", "--", "echo", "a b", "c"), (0, b"a b c\n", b""))
    expect("exit code", run(kubectl, "exec", "web", "--", "exit", "3")[0], 3)
    code, _, words = run(kubectl, "exec", "web", "--", "nosuch")
    expect("unknown command", (code, b"executable file not found in $PATH" in words), (1, True))
    expect("exec -i", run(kubectl, "exec", "-i", "web", "--", "cat", given=bytes_)[:2], (0, bytes_))
    expect("attach", run(kubectl, "attach", "-i", "web", given=b"x\n")[1], b"attached\nx\n")
    expect("logs", run(kubectl, "logs", "web")[1], b"line 1\nline 2\nline 3\n")
    expect("logs -f", run(kubectl, "logs", "-f", "--tail=1", "web")[1].splitlines()[-1], b"line 8")
    expect("logs -p", run(kubectl, "logs", "-p", "web")[2], b'Error from server (BadRequest): previous terminated container "c" in pod "web" not found\n')
    seen, code = in_terminal(kubectl, "exec", "-it", "web", "--", "sh")
    expect("a terminal", (seen.replace(b"command terminated with exit code 7\r\n", b""), code), (b"$ ls\r\nran ls\r\n$ ab^C\r\n$ exit 7\r\n", 7))
    with open(folder + "/file", "wb") as file:
        file.write(b"data\n")
    expect("cp", run(kubectl, "cp", folder + "/file", "web:/tmp/file")[0], 0)
    expect("top node", run(kubectl, "top", "node", "--no-headers")[1].split()[:2], [b"node1", b"250m"])
    expect("top pod", run(kubectl, "top", "pod", "--containers", "--no-headers")[1].split(), [b"web", b"c", b"12m", b"34Mi"])
    forward(kubectl)


server = subprocess.Popen([serve, folder, "0", "-", "-b"], stdout=subprocess.PIPE)
server.stdout.readline()
try:
    first = kubectls[-1]
    run(first, "create", "serviceaccount", "default")
    run(first, "apply", "-f", "-", given=POD.encode())
    run(first, "patch", "pod", "web", "--subresource=status", "--type=merge", "-p", STATUS)
    for kubectl in kubectls:
        before = wrong
        check(kubectl)
        if wrong > before:
            print(f"  with {kubectl}")
finally:
    server.terminate()
    server.wait()
expect("the server's end", server.returncode, 0)
sys.exit(wrong > 0)
