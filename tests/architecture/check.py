#!/usr/bin/env python3
"""Holds the source against docs/architecture.md: which folder of src/ may include which, where the headers of libraries
may appear, how long files, headers and functions get; and a few habits of the whole tree. The rules are read from the page's
tables, so a change of the page changes the check.

    check.py ROOT      prints each fault as FILE:LINE: WHAT, ends 1 when there is one
"""
import os
import re
import subprocess
import sys

FILE_MOST, FILE_GOAL, HEADER_MOST, HEADER_GOAL, FUNCTION_MOST, FUNCTION_GOAL = 700, 600, 200, 150, 100, 60
# what the C library and the kernel bring; every other <header> must stand in the page's table of libraries
SYSTEM = set("""assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic stdbool
stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar ucontext wchar wctype aio cpio dirent dlfcn fcntl fmtmsg fnmatch ftw
getopt glob grp iconv langinfo libgen malloc monetary netdb nl_types poll pthread pty pwd regex sched search semaphore spawn strings syslog
tar termios ulimit unistd utime utmpx wordexp byteswap endian err execinfo features ifaddrs mntent paths""".split())
SYSTEM_FOLDERS = ("sys/", "net/", "netinet/", "arpa/", "linux/")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def table(page, *heads):
    """Rows of the first Markdown table whose header starts with these heads."""
    rows, inside = [], False
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else None
        if inside:
            if cells is None:
                return rows
            if not set(cells[0]) <= set("-: "):
                rows.append(cells)
        elif cells and cells[: len(heads)] == list(heads):
            inside = True
    return rows


def words(cell):
    return [word.strip(" `") for word in re.sub(r"\([^)]*\)", "", cell).split(",") if word.strip(" `")]


class Rules:
    def __init__(self, page):
        self.may_use, self.libraries = {}, []
        rows = table(page, "folder", "purpose", "may use")
        names = [row[0] for row in rows]
        for name, _, uses in rows:
            allowed = set(names) if uses == "all" else {use for use in words(uses) if use != "libc"}
            self.may_use[name] = allowed | {name} | ({"base"} if name != "base" else set())
        for header, folders, *_ in table(page, "header", "only in"):
            self.libraries.append((words(header), words(folders)))

    def library(self, header):
        """The folders where this header may appear, or None for a header of no known library."""
        for names, folders in self.libraries:
            if any(header == name or name.endswith("/") and header.startswith(name) for name in names):
                return folders
        return None


def source_files(root):
    for folder, _, names in sorted(os.walk(os.path.join(root, "src"))):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                yield os.path.relpath(os.path.join(folder, name), root)


def folder_of(path):
    """src/practice/state/x.c -> practice/state; src/main.c belongs to app"""
    return os.path.dirname(path)[len("src/"):] or "app"


def row_of(rules, folder):
    """The folder whose row counts: its own, if it has one (practice/state), else that of the nearest folder above."""
    while folder not in rules.may_use and "/" in folder:
        folder = os.path.dirname(folder)
    return folder


def check_include(root, rules, path, header, quoted):
    folder = folder_of(path)
    top = row_of(rules, folder)
    if quoted:
        if os.path.exists(os.path.join(root, os.path.dirname(path), header)):
            return None
        if not os.path.exists(os.path.join(root, "src", header)):
            return f'"{header}" is no header of ours; a library\'s goes in <>'
        other = row_of(rules, os.path.dirname(header))
        if other in rules.may_use[top]:
            return None
        return f"{top} may not use {other}; it may use {', '.join(sorted(rules.may_use[top] - {top}))}"
    if re.sub(r"\.h$", "", header) in SYSTEM or header.startswith(SYSTEM_FOLDERS):
        return None
    homes = rules.library(header)
    if homes is None:
        return f"<{header}> is of no library in docs/architecture.md's table"
    if any(folder == home or folder.startswith(home + "/") for home in homes):
        return None
    return f"<{header}> stays in {', '.join(homes)}"


def check_sources(root, rules):
    faults, notes = [], []
    for path in source_files(root):
        top = row_of(rules, folder_of(path))
        if top not in rules.may_use:
            faults.append(f"{path}:1: folder {top} has no row in docs/architecture.md")
            continue
        lines = read(os.path.join(root, path)).splitlines()
        for number, line in enumerate(lines, 1):
            found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            fault = found and check_include(root, rules, path, found.group(2), found.group(1) == '"')
            if fault:
                faults.append(f"{path}:{number}: {fault}")
        if re.search(r"table[^/]*\.[ch]$", path):
            continue  # tables may be as long as what they list
        if path.endswith(".h") and len(lines) > HEADER_MOST:
            faults.append(f"{path}:1: a header of {len(lines)} lines; {HEADER_MOST} at most")
        elif path.endswith(".h") and len(lines) > HEADER_GOAL:
            notes.append(f"{path}:1: a header of {len(lines)} lines; about {HEADER_GOAL} is enough")
        elif len(lines) > FILE_MOST:
            faults.append(f"{path}:1: {len(lines)} lines; {FILE_MOST} at most")
        elif len(lines) > FILE_GOAL:
            notes.append(f"{path}:1: {len(lines)} lines; about {FILE_GOAL} is the most a reader should face")
        for start, length in functions(lines):
            if length > FUNCTION_MOST:
                faults.append(f"{path}:{start}: a function of {length} lines; {FUNCTION_MOST} at most")
            elif length > FUNCTION_GOAL:
                notes.append(f"{path}:{start}: a function of {length} lines; about {FUNCTION_GOAL} is enough")
    return faults, notes


def functions(lines):
    """(first line, length) of each function body: a { alone at the margin up to the } at the margin"""
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line.startswith("}") and start:
            yield start, number - start + 1
            start = None


def check_build(root, rules):
    """What CMakeLists.txt links must be allowed too."""
    faults = []
    text = read(os.path.join(root, "CMakeLists.txt"))
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"kt_folder\(([\w/]+)(?:.*?USES ([\w/ ]+?))?(?: VENDOR .*)?\)", line)
        if not found or found.group(1) not in rules.may_use:
            continue
        for use in (found.group(2) or "").split():
            if use not in rules.may_use[found.group(1)]:
                faults.append(f"CMakeLists.txt:{number}: {found.group(1)} may not use {use}")
    return faults


def tracked(root):
    try:
        out = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True).stdout.decode()
        return [name for name in out.split("\0") if name and os.path.isfile(os.path.join(root, name))]
    except (OSError, subprocess.CalledProcessError):
        found = []
        for folder, folders, names in os.walk(root):
            folders[:] = [name for name in folders if name not in (".git", "build")]
            found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
        return sorted(found)


def check_habits(root):
    faults = []
    INSIDE = ("src/practice/sim/", "tests/practice/sim/", "tests/fidelity/")  # these name folders of simulated containers
    machine = re.compile(r"(?:^|[^\w.$}-])/(?:" + "|".join(("work", "root", "home/[a-z]+")) + r")/")
    unfinished = re.compile(r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "HA" + "CK")) + r")\b")
    for path in tracked(root):
        full = os.path.join(root, path)
        with open(full, "rb") as file:
            start = file.read(8192)
        if start.startswith(b"#!") and not os.access(full, os.X_OK):
            faults.append(f"{path}:1: starts with #! but is not executable")
        if b"\0" in start or path.endswith((".golden", "go.sum")) or path.startswith("fuzz/corpus/"):
            continue
        for number, line in enumerate(read(full).splitlines(), 1):
            if machine.search(line) and not path.startswith(INSIDE):
                faults.append(f"{path}:{number}: names a folder of one machine: {line.strip()[:80]}")
            if path.startswith(("src/", "scripts/", "tests/", "lessons/", "fuzz/")) and unfinished.search(line):
                faults.append(f"{path}:{number}: unfinished: {line.strip()[:80]}")
    return faults


def check(root):
    rules = Rules(read(os.path.join(root, "docs/architecture.md")))
    faults, notes = [], []
    if "base" not in rules.may_use or not rules.libraries:
        faults.append("docs/architecture.md:1: its tables 'folder | purpose | may use' and 'header | only in' are not found")
        return faults, notes
    faults, notes = check_sources(root, rules)
    return faults + check_build(root, rules) + check_habits(root), notes


if __name__ == "__main__":
    all_faults, all_notes = check(os.path.abspath(sys.argv[1]))
    for text in all_notes:
        print("note:", text)
    for text in all_faults:
        print(text)
    sys.exit(1 if all_faults else 0)
