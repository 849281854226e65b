"""The tutor's screen open for a long time (SOAK seconds) while its lesson is done and undone, languages change and other lessons are opened: after a
warm-up its memory and its descriptors must not grow. soak.py SECONDS; KUBETUTOR, KUBECTL and KUBETUTOR_LIVE_KUBECONFIG as for the live cases."""
import fcntl, os, pty, signal, struct, subprocess, sys, termios, threading, time

MIB_MORE, DESCRIPTORS_MORE = 4, 4  # that the last quarter may have on top of the warm-up
ROUND, WARM_UP = 10, 0.25  # seconds; part of the time
HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "../../lessons/nginx/files/nginx.yaml")
NS = f"kt-soak-{os.getpid()}"
program, kubectl, kubeconfig = (os.environ[name] for name in ("KUBETUTOR", "KUBECTL", "KUBETUTOR_LIVE_KUBECONFIG"))


def k(*arguments):
    return subprocess.run([kubectl, "--kubeconfig", kubeconfig, "-n", NS, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)


class Tutor:
    def __init__(self):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.execv(program, [program, "--kubeconfig", kubeconfig, "--yes", "-n", NS, "learn", "nginx/hand-in"])
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 110, 0, 0))
        os.kill(self.pid, signal.SIGWINCH)
        self.drawn = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            while data := os.read(self.terminal, 65536):
                self.drawn += len(data)
        except OSError:
            pass

    def keys(self, text):
        for key in text:
            try:
                os.write(self.terminal, key.encode())
            except OSError:  # it has ended
                return
            time.sleep(0.1)

    def sample(self):
        with open(f"/proc/{self.pid}/status", encoding="utf-8") as status:
            rss = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
        return rss / 1024, len(os.listdir(f"/proc/{self.pid}/fd"))


def disturb(number):
    """What learners do in another terminal, one thing a round."""
    deeds = (("apply", "-f", FILE), ("scale", "deployment/nginx", "--replicas=2"), ("create", "configmap", "extra", "--from-literal=a=b"),
             ("scale", "deployment/nginx", "--replicas=3"), ("delete", "-f", FILE, "--wait=false"), ("delete", "configmap", "extra", "--ignore-not-found"))
    k(*deeds[number % len(deeds)])


def main(seconds):
    k("create", "namespace", NS)
    began, samples, tutor, number = time.monotonic(), [], Tutor(), 0
    try:
        while (now := time.monotonic() - began) < seconds:
            disturb(number)
            tutor.keys(("LL", "?\x1b", "m\x1b", "h\x1b", "jkw\x1b")[number % 5])
            number += 1
            time.sleep(min(ROUND, max(0, seconds - now)))
            samples.append((time.monotonic() - began, *tutor.sample()))
            if number % 6 == 0:
                print("%6.0f s  %6.1f MiB  %3d descriptors  %d bytes drawn" % (*samples[-1], tutor.drawn), flush=True)
        end = time.monotonic() + 10
        while (ended := os.waitpid(tutor.pid, os.WNOHANG))[0] == 0 and time.monotonic() < end:
            tutor.keys("q")  # the first may only close what lies over the lesson
            time.sleep(0.5)
        if ended[0] == 0:
            os.kill(tutor.pid, signal.SIGKILL)
            sys.exit("it does not end with q")
        if os.waitstatus_to_exitcode(ended[1]) != 0:
            sys.exit(f"it ended with {os.waitstatus_to_exitcode(ended[1])}")
    finally:
        k("delete", "namespace", NS, "--wait=false")
    warm = [sample for sample in samples if sample[0] <= seconds * WARM_UP] or samples[:1]
    last = [sample for sample in samples if sample[0] >= seconds * 0.75]
    for name, at, more in (("MiB", 1, MIB_MORE), ("descriptors", 2, DESCRIPTORS_MORE)):
        before, after = max(s[at] for s in warm), max(s[at] for s in last)
        print(f"{name}: {before:.1f} after the warm-up, {after:.1f} at the end; {more} more are allowed")
        if after > before + more:
            sys.exit(f"it grew: {name}")
    if tutor.drawn < 10000:
        sys.exit("it drew nearly nothing: the lesson was not open")


main(float(sys.argv[1]))
