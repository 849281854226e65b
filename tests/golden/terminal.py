"""A program in a terminal of a given size: keys in, screen out. Used by run.py and scripts/screenshot."""
import fcntl, os, pty, re, select, signal, struct, termios, time
import pyte
from wcwidth import wcwidth

KEYS = {
    "tab": "\t", "enter": "\r", "esc": "\x1b", "space": " ", "up": "\x1bOA", "down": "\x1bOB", "right": "\x1bOC", "left": "\x1bOD",
    "pgup": "\x1b[5~", "pgdn": "\x1b[6~", "home": "\x1bOH", "end": "\x1bOF", "backtab": "\x1b[Z",
    "unknown": "\x1b[1;2~", "mouse": "\x1b[<0;1;2M", "old-mouse": "\x1b[M122", "ss3": "\x1bO1;2X",
}


def key_bytes(key):
    """"n", "<down>", "<c-z>" as what a terminal sends."""
    name = re.fullmatch(r"<([\w-]+)>", key)
    if not name:
        return key.encode()
    name = name.group(1)
    return bytes([ord(name[2]) & 31]) if name.startswith("c-") else KEYS[name].encode()


class Screen(pyte.Screen):
    """pyte's screen, with what it lacks: REP, SU, SD."""
    last = " "

    def draw(self, data):
        super().draw(data)
        self.last = data[-1:] or self.last

    def repeat(self, count=1, **_private):
        self.draw(self.last * count)

    def scroll(self, lines, row, step):
        y, self.cursor.y = self.cursor.y, row
        for _ in range(lines or 1):
            step()
        self.cursor.y = y

    def scroll_up(self, lines=1, **_private):
        self.scroll(lines, self.margins.bottom if self.margins else self.lines - 1, self.index)

    def scroll_down(self, lines=1, **_private):
        self.scroll(lines, self.margins.top if self.margins else 0, self.reverse_index)

    def select_graphic_rendition(self, *attributes, **_private):
        super().select_graphic_rendition(*attributes)

    def report_device_status(self, *_arguments, **_private):
        pass


class Stream(pyte.ByteStream):
    csi = dict(pyte.ByteStream.csi, b="repeat", S="scroll_up", T="scroll_down")
    events = pyte.ByteStream.events | {"repeat", "scroll_up", "scroll_down"}


class Terminal:
    def __init__(self, command, columns, rows, environment, folder=None):
        self.screen = Screen(columns, rows)
        self.stream = Stream(self.screen)
        self.raw = b""
        self.code = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            if folder:
                os.chdir(folder)
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds):
        """Takes what the program writes within so many seconds; False at its end."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        self.raw += data
        self.stream.feed(data)
        return data != b""

    def settle(self, quiet=0.12, most=5):
        """Until nothing was written for `quiet` seconds."""
        end = time.monotonic() + most
        while time.monotonic() < end:
            before = len(self.raw)
            if not self.read(quiet) or len(self.raw) == before:
                return

    def wait(self, pattern, seconds=20):
        """Until the screen's text matches; False when it never does."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if re.search(pattern, self.text()):
                return True
            if not self.read(0.05):
                break
        return bool(re.search(pattern, self.text()))

    def send(self, data):
        os.write(self.fd, data)

    def resize(self, columns, rows):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self.pid, signal.SIGWINCH)

    def text(self):
        return "\n".join("".join(self.cell(y, x) for x in range(self.screen.columns)).rstrip() for y in range(self.screen.lines))

    def cell(self, y, x):
        """A wide character has an empty cell after it; one that lost its other half is a blank."""
        data, before = self.screen.buffer[y][x].data, self.screen.buffer[y][x - 1].data if x else ""
        return " " if data == "" and (before == "" or wcwidth(before[0]) != 2) else data

    def after(self):
        """What was written after the screen was given back."""
        last = self.raw.rsplit(b"\x1b[?1049l", 1)[-1].decode(errors="replace").replace("\r", "")
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()].|\x1b[=>]", "", last)

    def attributes(self):
        """The runs of cells that do not look like plain text: "row:first-last what"."""
        found = []
        for y in range(self.screen.lines):
            row, x = self.screen.buffer[y], 0
            while x < self.screen.columns:
                look, first = describe(row[x]), x
                while x < self.screen.columns and describe(row[x]) == look:
                    x += 1
                if look and (look != "plain"):
                    found.append(f"{y}:{first}-{x - 1} {look}")
        return found

    def end(self, seconds=20):
        """Waits for the program's end; its exit code, or None (it is killed then)."""
        end = time.monotonic() + seconds
        while not self.ended() and time.monotonic() < end:
            self.read(0.02)
        os.close(self.fd)
        return self.killed()

    def hang_up(self, seconds=20):
        """Closes the terminal under the program."""
        os.close(self.fd)
        end = time.monotonic() + seconds
        while not self.ended() and time.monotonic() < end:
            time.sleep(0.01)
        return self.killed()

    def ended(self):
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid:
            self.code = os.waitstatus_to_exitcode(status)
        return bool(pid)

    def killed(self):
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        return self.code


def describe(cell):
    looks = [name for name in ("bold", "italics", "underscore", "reverse") if getattr(cell, name)]
    for ground, colour in (("fg", cell.fg), ("bg", cell.bg)):
        if colour != "default":
            looks.append(f"{ground}={colour}")
    blank = not cell.data.strip() and not cell.reverse and cell.bg == "default" and not cell.underscore
    return "" if blank else " ".join(looks)
