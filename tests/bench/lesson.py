"""A lesson open in the terminal: from the cluster's event to the verdict on the screen, memory, and what it costs when nothing happens."""
import select
from bench import *
from half_done import HalfDone

NS, PATCHES, IDLE = "kubetutor-bench", 50, 60
QUIET, LONGEST = 0.2, 5


class Watch:
    """A watch of our own on the Service, read beside the screen."""
    def __init__(self, api, ns):
        version = api.request("GET", f"/api/v1/namespaces/{ns}/services/nginx")[1]["metadata"]["resourceVersion"]
        self.socket = api.socket()
        self.socket.sendall(f"GET /api/v1/namespaces/{ns}/services?watch=1&fieldSelector=metadata.name%3Dnginx&resourceVersion={version} HTTP/1.1\r\n"
                            f"Host: {api.host}\r\n\r\n".encode())
        self.take()  # the head

    def take(self):
        """When the next bytes came."""
        data = self.socket.recv(1 << 16)
        now = time.monotonic()
        while self.socket.pending():
            data += self.socket.recv(1 << 16)
        if not data:
            raise RuntimeError("the watch has ended")
        return now


def patch(connection, api, ns, port):
    body = json.dumps([{"op": "replace", "path": "/spec/ports/0/port", "value": port}])
    connection.sendall(f"PATCH /api/v1/namespaces/{ns}/services/nginx HTTP/1.1\r\nHost: {api.host}\r\nContent-Type: application/json-patch+json\r\n"
                       f"Content-Length: {len(body)}\r\n\r\n{body}".encode())


def one_change(lesson, watch, connection, port):
    """Patches; when that was sent, when our watch's event came, and when the new verdict stood on the screen."""
    terminal, before = lesson.terminal, lesson.verdict()
    event, chunks, sent = None, [], time.monotonic()
    patch(connection, lesson.api, lesson.ns, port)
    while True:
        ready = select.select([terminal.fd, watch.socket, connection], [], [], QUIET)[0]
        if watch.socket in ready:
            event = event or watch.take()
        if connection in ready:
            connection.recv(1 << 16)
        if terminal.fd in ready:
            chunks.append(terminal.raw())
        if not ready or time.monotonic() > sent + LONGEST:
            break
    for when, data in chunks:
        terminal.stream.feed(data)
        if lesson.verdict() != before and event:
            shown = when
            break
    else:
        raise RuntimeError(f"no new verdict; the screen is\n{terminal.text()}")
    for _, data in chunks[chunks.index((when, data)) + 1:]:
        terminal.stream.feed(data)
    return sent, event, shown


kubeconfig = live_kubeconfig()
before_others()
with Folder() as folder:
    api = Api(kubeconfig, folder)
    try:
        lesson = HalfDone(api, kubeconfig, NS, folder)
        watch, connection = Watch(api, NS), api.socket()
        cpu = lesson.terminal.cpu_ms()
        changes = [one_change(lesson, watch, connection, 81 if i % 2 == 0 else 80) for i in range(PATCHES)]
        cpu = lesson.terminal.cpu_ms() - cpu
        # the server may tell our watch after the program's: then the time is negative
        times = sorted((shown - event) * 1000 for _, event, shown in changes)
        figure(f"event in, verdict on the screen (median of {PATCHES})", statistics.median(times), "ms", "goal: under 10")
        figure("  the quickest", times[0], "ms")
        figure("  nine of ten were quicker than", times[PATCHES * 9 // 10], "ms")
        figure("  from the change's request to the verdict on the screen (median)", statistics.median((shown - sent) * 1000 for sent, _, shown in changes), "ms")
        figure("  on the processor, a change", cpu / PATCHES, "ms")
        figure("memory (RSS) in the lesson", lesson.terminal.rss_mib(), "MiB", "goal: under 25")
        lesson.terminal.settle(10, 20)  # the last requests' timers have run out
        cpu, switches = lesson.terminal.cpu_ms(), lesson.terminal.switches()
        lesson.terminal.settle(IDLE, IDLE)
        figure(f"on the processor in {IDLE} s without an event", lesson.terminal.cpu_ms() - cpu, "ms", "goal: none")
        figure("  woken (once a minute the server sends bookmarks)", lesson.terminal.switches() - switches, "")
        lesson.end()
    finally:
        api.remove_namespace(NS)
