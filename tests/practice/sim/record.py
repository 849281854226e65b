#!/usr/bin/env python3
"""Writes into *.case files what a real busybox ash says to their scripts: the judge of the simulated shell and its programs.

    record.py FILE...        needs root (each script runs in a new root folder of its own) and a static busybox (Debian: busybox-static)

A file is a list of scripts, each with what it wrote and its code:

    === name
    script
    --- stdout
    ...
    --- stderr
    ...
    --- code 0

A script with "# ours" in its first line is left as it stands: there we differ on purpose, and the line says why.
"""
import os
import shutil
import subprocess
import sys
import tempfile

BUSYBOX = "/bin/busybox"
FOLDERS = ["bin", "dev", "etc", "home", "proc", "root", "run", "sys", "tmp", "usr/bin", "usr/sbin", "var/log", "work"]


def make_root(folder):
    for name in FOLDERS:
        os.makedirs(os.path.join(folder, name))
    os.chmod(os.path.join(folder, "tmp"), 0o1777)
    shutil.copy(BUSYBOX, os.path.join(folder, "bin/busybox"))
    for line in subprocess.run([BUSYBOX, "--list"], capture_output=True, text=True, check=True).stdout.split():
        if line != "busybox":
            os.link(os.path.join(folder, "bin/busybox"), os.path.join(folder, "bin", line))
    for name, minor in (("null", 3), ("zero", 5), ("full", 7), ("urandom", 9)):
        os.mknod(os.path.join(folder, "dev", name), 0o20666, os.makedev(1, minor))
        os.chmod(os.path.join(folder, "dev", name), 0o666)
    with open(os.path.join(folder, "etc/passwd"), "w") as file:
        file.write("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n")
    with open(os.path.join(folder, "etc/group"), "w") as file:
        file.write("root:x:0:\nnobody:x:65534:\n")


def run(script):
    with tempfile.TemporaryDirectory() as folder:
        make_root(folder)
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOSTNAME": "pod", "HOME": "/root"}
        done = subprocess.run([BUSYBOX, "chroot", folder, "/bin/sh", "-c", "cd /work; exec sh -c \"$0\"", script], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=20)
        code = done.returncode if done.returncode >= 0 else 128 - done.returncode
        return done.stdout.decode(errors="surrogateescape"), done.stderr.decode(errors="surrogateescape"), code


def cases(text):
    for part in ("\n" + text).split("\n=== ")[1:]:
        name, _, body = part.partition("\n")
        script, _, rest = ("\n" + body + "\n").partition("\n--- stdout\n")
        yield name, script.strip("\n") + "\n", rest


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
        out = [("\n" + text).split("\n=== ")[0].strip("\n") + "\n"]
        for name, script, rest in cases(text):
            if "# ours" in script.split("\n")[0]:
                out.append(f"=== {name}\n{script}--- stdout\n{rest.rstrip(chr(10))}\n\n")
                continue
            stdout, stderr, code = run(script)
            for stream in (stdout, stderr):
                assert not any(line.startswith(("--- ", "=== ")) for line in stream.split("\n")), name
            out.append(f"=== {name}\n{script}--- stdout\n{stdout}{'' if stdout.endswith(chr(10)) or not stdout else chr(10) + '(no newline)' + chr(10)}--- stderr\n{stderr}--- code {code}\n\n")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write("".join(out).rstrip("\n") + "\n")


if __name__ == "__main__":
    main()
