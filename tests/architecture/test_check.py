#!/usr/bin/env python3
"""The check itself: on a small tree with one fault of each kind it names each, and on the tree without them none."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check import check

PAGE = """
| folder | purpose | may use |
|---|---|---|
| base | memory | libc |
| data | documents | |
| kube | client | data, net (frames) |
| net | server | |
| practice | the cluster | net |
| app | main | all |

| header | only in | what |
|---|---|---|
| `curl/` | kube | HTTP |
| `sqlite3.h` | practice/state | state |
"""


class Tree:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.write("docs/architecture.md", PAGE)
        self.write("CMakeLists.txt", "kt_folder(base)\nkt_folder(kube USES data base VENDOR kt_curl)\n")
        self.write("src/base/mem.h", "#include <stddef.h>\n")
        self.write("src/data/json.h", '#include "base/mem.h"\n')
        self.write("src/net/frame.h", "")
        self.write("src/kube/client.h", "")
        self.write("src/kube/client.c", '#include "client.h"\n#include "data/json.h"\n#include "net/frame.h"\n#include <curl/curl.h>\n')
        self.write("src/practice/state/db.c", "#include <sqlite3.h>\n#include <sys/stat.h>\n")
        self.write("src/main.c", '#include "kube/client.h"\n')

    def write(self, path, text):
        full = os.path.join(self.folder.name, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def faults(self):
        return check(self.folder.name)[0]


class CheckTest(unittest.TestCase):
    def setUp(self):
        self.tree = Tree()
        self.addCleanup(self.tree.folder.cleanup)

    def expect(self, path, text, fault):
        self.tree.write(path, text)
        faults = self.tree.faults()
        self.assertEqual(len(faults), 1, faults)
        self.assertTrue(faults[0].startswith(path) and fault in faults[0], faults[0])

    def test_a_tree_that_keeps_the_rules_has_no_fault(self):
        self.assertEqual(self.tree.faults(), [])

    def test_an_include_that_the_row_does_not_name(self):
        self.expect("src/data/path.c", '#include "kube/client.h"\n', "data may not use kube")

    def test_rows_are_not_transitive(self):
        self.expect("src/practice/api.c", '#include "data/json.h"\n', "practice may not use data")

    def test_nobody_uses_app_but_app(self):
        self.tree.write("src/app/app.h", "")
        self.expect("src/kube/up.c", '#include "app/app.h"\n', "kube may not use app")

    def test_a_library_outside_its_folder(self):
        self.expect("src/data/get.c", "#include <curl/easy.h>\n", "stays in kube")

    def test_a_library_in_the_wrong_subfolder(self):
        self.expect("src/practice/api/list.c", "#include <sqlite3.h>\n", "stays in practice/state")

    def test_a_library_that_no_table_names(self):
        self.expect("src/base/fast.c", "#include <uv.h>\n", "of no library")

    def test_a_quoted_header_that_is_not_there(self):
        self.expect("src/base/fast.c", '#include "uv.h"\n', "no header of ours")

    def test_a_folder_without_a_row(self):
        self.expect("src/misc/odds.c", "", "no row")

    def test_a_long_file_a_long_header_a_long_function(self):
        self.expect("src/base/mem.h", "int x;\n" * 201, "header of 201 lines")
        self.tree.write("src/base/mem.h", "")
        self.expect("src/base/mem.c", "int x;\n" * 701, "701 lines")
        self.expect("src/base/mem.c", "int f(void)\n{\n" + "    ;\n" * 100 + "}\n", "function of 102 lines")

    def test_a_table_may_be_long(self):
        self.tree.write("src/base/width_table.h", "1,\n" * 2000)
        self.assertEqual(self.tree.faults(), [])

    def test_a_build_that_links_more_than_allowed(self):
        self.expect("CMakeLists.txt", "kt_folder(data USES kube base)\n", "data may not use kube")

    def test_a_script_that_cannot_run(self):
        self.expect("scripts/go", "#!/bin/sh\n", "not executable")

    def test_a_path_of_one_machine(self):
        self.expect("docs/notes.md", "see " + "/".join(("", "root", "notes")) + "\n", "one machine")

    def test_unfinished_work(self):
        self.expect("scripts/plan.txt", "TO" + "DO: all\n", "unfinished")

    def test_a_page_without_its_tables(self):
        self.expect("docs/architecture.md", "# Architecture\n", "not found")


if __name__ == "__main__":
    unittest.main()
