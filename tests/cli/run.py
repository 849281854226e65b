"""Runs one .case file against the program: run.py PROGRAM FILE.case

A case is a list of command lines, each with what must come of it. They share a fresh home and working folder; there is no cluster.
    # remark
    file NAME          makes a file of the lines below that begin with "|" (and a space)
    $ COMMAND          a line for bash; kubetutor is on PATH
    exit N             its exit code; 0 where nothing is said. N|M: one of them
    out REGEX          stdout holds this; err REGEX: stderr. "no-out REGEX", "no-err REGEX": it does not
    out-lines N        stdout has so many lines; err-lines N
    within SECONDS     it takes no longer (it is ended after 60 in any case)
"""
import os
import re
import subprocess
import sys
import tempfile
import time

LIMIT = 60


def read_case(path):
    """Yields ("file", name, text) and ("run", line number, command, [(word, rest)])."""
    items = []
    with open(path, encoding="utf-8") as case:
        for number, line in enumerate(case, 1):
            line = line.rstrip("\n")
            word, _, rest = line.partition(" ")
            if not line.strip() or word == "#":
                continue
            if word == "$":
                items.append(("run", number, rest, []))
            elif word == "file":
                items.append(("file", rest, []))
            elif word == "|" and items and items[-1][0] == "file":
                items[-1][2].append(rest)
            elif items and items[-1][0] == "run":
                items[-1][3].append((word, rest))
            else:
                sys.exit(f"{path}:{number}: {line}")
    return items


def fault(word, rest, code, texts, seconds):
    """What is wrong with an expectation, or None."""
    negated, _, stream = word.rpartition("no-")
    text = texts.get(stream.removesuffix("-lines"))
    if word == "exit":
        return None if str(code) in rest.split("|") else f"it ended with {code}, not {rest}"
    if word == "within":
        return None if seconds <= float(rest) else f"it took {seconds:.1f} s, more than {rest}"
    if text is None:
        return f"the case asks for \"{word}\", which is not known"
    if word.endswith("-lines"):
        lines = len(text.splitlines())
        return None if lines == int(rest) else f"{stream}: {lines}, not {rest}"
    found = re.search(rest, text, re.MULTILINE) is not None
    return None if found == (word == stream) else f"std{stream} {'holds' if found else 'does not hold'}: {rest}"


def run(command, folder, environment):
    began = time.monotonic()
    process = subprocess.Popen(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = process.communicate(timeout=LIMIT)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        out, err = process.communicate()
        code = -9
    texts = {"out": out.decode("utf-8", "replace"), "err": err.decode("utf-8", "replace")}
    return code, texts, time.monotonic() - began


def main():
    program, path = (os.path.abspath(argument) for argument in sys.argv[1:3])
    failed = False
    with tempfile.TemporaryDirectory(prefix="kubetutor-cli-") as top:
        folder, bin_folder = os.path.join(top, "work"), os.path.join(top, "bin")
        os.makedirs(folder)
        os.makedirs(bin_folder)
        os.symlink(program, os.path.join(bin_folder, "kubetutor"))
        environment = {"PATH": bin_folder + ":" + os.environ["PATH"], "HOME": os.path.join(top, "home"), "LANG": "C.UTF-8", "TERM": "xterm-256color",
                       "TOP": top, "SOURCE": os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))}
        environment |= {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}
        os.makedirs(environment["HOME"])
        environment["XDG_RUNTIME_DIR"] = os.path.join(top, "run")  # else every case of a user would have one practice cluster
        os.makedirs(environment["XDG_RUNTIME_DIR"], mode=0o700)
        for item in read_case(path):
            if item[0] == "file":
                with open(os.path.join(folder, item[1]), "w", encoding="utf-8") as file:
                    file.write("".join(line + "\n" for line in item[2]))
                continue
            _, number, command, expectations = item
            code, texts, seconds = run(command, folder, environment)
            if not any(word == "exit" for word, _ in expectations):
                expectations.append(("exit", "0"))
            expectations.append(("no-err", "Sanitizer|runtime error"))
            faults = [text for word, rest in expectations if (text := fault(word, rest, code, texts, seconds))]
            if faults:
                failed = True
                print(f"{path}:{number}: $ {command}")
                for text in faults:
                    print(f"    {text}")
                for name, text in texts.items():
                    print(f"    std{name}:", *text.splitlines()[:60], sep="\n      | ")
        run("kubetutor cluster down", folder, environment)  # a practice cluster outlives the case that needed one
    sys.exit(failed)


main()
