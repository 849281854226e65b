"""A program in a pty, seen from outside: what it draws and when, what it costs."""
import fcntl, os, pty, select, signal, struct, termios, time
import pyte


class Screen(pyte.Screen):
    def select_graphic_rendition(self, *attributes, **_):
        super().select_graphic_rendition(*attributes)  # pyte 0.8 does not know private ones


class Terminal:
    def __init__(self, argv, environment, columns=120, rows=40):
        self.screen = Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.began = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execve(argv[0], argv, environment)

    def raw(self):
        """What there is to read and when it came; b"" once the program has ended. It is not on the screen yet: that takes milliseconds."""
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            data = b""
        return time.monotonic(), data

    def read(self, seconds):
        """The next bytes and when they came, or None after so many seconds."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return None
        now, data = self.raw()
        self.stream.feed(data)
        return now, data

    def text(self):
        return "\n".join(self.screen.display)

    def shows(self, *words):
        text = self.text()
        return all(word in text for word in words)

    def until(self, condition, seconds):
        """Reads until condition() holds; when it first did, or None."""
        end = time.monotonic() + seconds
        when = time.monotonic()
        while not condition():
            got = self.read(max(0, end - time.monotonic()))
            if got is None or not got[1]:
                return None
            when = got[0]
        return when

    def collect(self, quiet, first=5):
        """All that comes until nothing did for `quiet` seconds, at the start `first` seconds: (when, bytes), not on the screen yet."""
        chunks = []
        while select.select([self.fd], [], [], quiet if chunks else first)[0]:
            chunks.append(self.raw())
            if not chunks[-1][1]:
                break
        return chunks

    def settle(self, quiet, seconds=30):
        """Reads until nothing came for `quiet` seconds; when the last bytes came, or None."""
        last, end = None, time.monotonic() + seconds
        while time.monotonic() < end:
            got = self.read(quiet)
            if got is None or not got[1]:
                break
            last = got[0]
        return last

    def type(self, text):
        os.write(self.fd, text.encode())

    def cpu_ms(self):
        """On the processor so far, in user and kernel, by the scheduler's clock (nanoseconds; utime and stime count in 10 ms)."""
        return int(open(f"/proc/{self.pid}/schedstat").read().split()[0]) / 1e6

    def switches(self):
        """How often it slept and was woken."""
        return next(int(line.split()[1]) for line in open(f"/proc/{self.pid}/status") if line.startswith("voluntary_ctxt"))

    def rss_mib(self):
        return next(int(line.split()[1]) for line in open(f"/proc/{self.pid}/status") if line.startswith("VmRSS")) / 1024

    def end(self):
        os.kill(self.pid, signal.SIGTERM)
        stop = time.monotonic() + 5
        while os.waitpid(self.pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > stop:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                break
            self.read(0.02)
        os.close(self.fd)
