"""Patches laid on originals: exact ones, careless ones, and the bytes that come out."""

from textwrap import dedent

import pytest

from fastedit.anchor.model import Alignment, SegmentKind
from fastedit.anchor.patch.align import ALREADY_APPLIED, align_patch
from fastedit.applied import render
from fastedit.edits import parse_message
from fastedit.lines import body, split_lines
from fastedit.syntax import language_of, outline


def align(original: str, message: str, path: str = "tide.py") -> Alignment:
    (edit,) = parse_message(message)
    lines = [body(line) for line in split_lines(original)]
    return align_patch(lines, edit, outline(original, language_of(path, original)))


def apply(original: str, message: str, path: str = "tide.py") -> str:
    alignment = align(original, message, path)
    assert not alignment.problems, alignment.problems
    return render(original, alignment)


def clean(text: str) -> str:
    return dedent(text).lstrip("\n")


def search_replace(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


HARBOUR = clean(
    '''
    """The harbour's gauges."""

    import time


    class Gauge:
        """Reads the level in millimetres."""

        def __init__(self, port):
            self.port = port
            self.level = 0  # last known

        def read(self):
            raw = self.port.read()
            self.level = int(raw)
            return self.level

        def close(self):
            self.port.close()


    class Siren:
        def __init__(self, port):
            self.port = port
            self.loud = False

        def read(self):
            raw = self.port.read()
            self.loud = raw == b"1"
            return self.loud

        def close(self):
            self.port.close()
    '''
)


def test_segments_cover_the_original_and_say_how_certain_they_are():
    alignment = align(
        HARBOUR, "```diff\n@@ @@\n-            self.level = int(raw)\n+            self.level = float(raw)\n```"
    )
    assert [segment.kind for segment in alignment.segments] == [SegmentKind.KEEP, SegmentKind.REPLACE, SegmentKind.KEEP]
    assert alignment.segments[0].start == 0
    assert alignment.segments[-1].end == HARBOUR.count("\n")
    assert all(
        before.end == after.start for before, after in zip(alignment.segments, alignment.segments[1:], strict=False)
    )


def test_an_exact_hunk_is_certain():
    message = (
        "```diff\n@@ -14,3 +14,3 @@\n         raw = self.port.read()\n-        self.level = int(raw)\n"
        "+        self.level = float(raw)\n```"
    )
    assert align(HARBOUR, message).certainty == 1.0
    assert apply(HARBOUR, message) == HARBOUR.replace("int(raw)", "float(raw)")


def test_line_numbers_are_only_hints():
    message = (
        "```diff\n@@ -900,2 +900,2 @@\n         raw = self.port.read()\n-        self.level = int(raw)\n"
        "+        self.level = float(raw)\n```"
    )
    assert apply(HARBOUR, message) == HARBOUR.replace("int(raw)", "float(raw)")


@pytest.mark.parametrize(
    "scopes", ["@@ class Siren:", "@@ class Siren", "@@ class Siren:\n@@     def close(self):", "@@ Siren"]
)
def test_scopes_tell_equal_places_apart(scopes: str):
    message = (
        f"*** Begin Patch\n*** Update File: tide.py\n{scopes}\n         self.port.close()\n"
        "+        self.port = None\n*** End Patch"
    )
    assert apply(HARBOUR, message) == HARBOUR + "        self.port = None\n"


def test_stacked_scopes_are_looked_for_inside_of_each_other():
    message = (
        "*** Begin Patch\n*** Update File: tide.py\n@@ class Gauge:\n@@     def close(self):\n"
        "+        log('closing')\n*** End Patch"
    )
    expected = HARBOUR.replace("def close(self):\n", "def close(self):\n        log('closing')\n", 1)
    assert apply(HARBOUR, message) == expected


def test_the_section_behind_a_hunk_header_tells_equal_places_apart():
    message = (
        "```diff\n@@ -90,2 +90,3 @@ class Siren:\n     def close(self):\n         self.port.close()\n"
        "+        self.port = None\n```"
    )
    assert apply(HARBOUR, message) == HARBOUR + "        self.port = None\n"


def test_a_true_line_number_tells_equal_places_apart():
    at = HARBOUR.split("\n").index("    def close(self):") + 1
    message = (
        f"```diff\n@@ -{at},2 +{at},3 @@\n     def close(self):\n         self.port.close()\n"
        "+        self.port = None\n```"
    )
    alignment = align(HARBOUR, message)
    expected = HARBOUR.replace("self.port.close()\n", "self.port.close()\n        self.port = None\n", 1)
    assert (render(HARBOUR, alignment), alignment.problems) == (expected, ())
    assert 0.5 <= alignment.certainty < 1


def test_line_numbers_that_are_all_off_by_as_much_still_tell():
    first = HARBOUR.split("\n").index("import time") + 31
    second = HARBOUR.count("\n") + 29
    message = (
        f"```diff\n@@ -{first},1 +{first},2 @@\n import time\n+import os\n"
        f"@@ -{second},2 +{second},3 @@\n     def close(self):\n"
        "         self.port.close()\n+        self.port = None\n```"
    )
    expected = HARBOUR.replace("import time\n", "import time\nimport os\n") + "        self.port = None\n"
    assert apply(HARBOUR, message) == expected


def test_hunks_in_order_tell_equal_places_apart():
    message = (
        "```diff\n@@ @@\n class Siren:\n+    kind = 'siren'\n@@ @@\n         self.port.close()\n"
        "+        self.port = None\n```"
    )
    expected = HARBOUR.replace("class Siren:\n", "class Siren:\n    kind = 'siren'\n") + "        self.port = None\n"
    alignment = align(HARBOUR, message)
    assert (render(HARBOUR, alignment), alignment.problems) == (expected, ())
    assert alignment.certainty < 1


def test_equal_blocks_take_equal_places_one_after_the_other():
    block = search_replace("        raw = self.port.read()\n", "        raw = self.port.read(4)\n")
    assert apply(HARBOUR, block + block) == HARBOUR.replace("self.port.read()", "self.port.read(4)")


def test_the_same_block_twice_counts_once():
    block = search_replace("        self.level = int(raw)\n", "        self.level = float(raw)\n")
    assert apply(HARBOUR, block + block) == HARBOUR.replace("int(raw)", "float(raw)")
    inserted = search_replace("import time\n", "import os\nimport time\n")
    assert apply(HARBOUR, inserted + inserted) == HARBOUR.replace("import time\n", "import os\nimport time\n")


def test_blocks_need_not_be_in_the_files_order():
    later = search_replace("        self.loud = False\n", "        self.loud = True\n")
    earlier = search_replace("import time\n", "import os\n")
    expected = HARBOUR.replace("loud = False", "loud = True").replace("import time", "import os")
    assert apply(HARBOUR, later + earlier) == expected


def test_a_block_may_expect_what_the_one_before_wrote():
    first = search_replace("        self.level = int(raw)\n", "        value = int(raw)\n        self.level = value\n")
    second = search_replace("        value = int(raw)\n", "        value = float(raw)\n")
    alignment = align(HARBOUR, first + second)
    expected = HARBOUR.replace(
        "        self.level = int(raw)\n", "        value = float(raw)\n        self.level = value\n"
    )
    assert (render(HARBOUR, alignment), alignment.problems) == (expected, ())
    assert alignment.certainty < 1


def test_depth_tells_the_same_lines_apart():
    original = "if a:\n    go()\n    stop()\nfor b in c:\n    if a:\n        go()\n        stop()\n"
    assert apply(
        original, search_replace("    if a:\n        go()\n", "    if b:\n        go()\n")
    ) == original.replace("    if a:", "    if b:")


@pytest.mark.parametrize(
    ("quoted", "meant"),
    [
        ("        raw   =  self.port.read()", "white space inside"),
        ("\t\traw = self.port.read()", "tabs for blanks"),
        ("    raw = self.port.read()", "two levels less"),
        ("        RAW = self.port.READ()", "case"),
        ("        raw = self.port.read()  # as bytes", "a comment more"),
        ("        raw = self.port.read();", "a semicolon"),
        ("        raw = self.port…", "shortened"),
    ],
)
def test_context_may_be_misquoted_and_the_originals_bytes_stand(quoted: str, meant: str):
    message = f"```diff\n@@ @@\n {quoted}\n-        self.level = int(raw)\n+        self.level = float(raw)\n```"
    alignment = align(HARBOUR, message)
    assert (render(HARBOUR, alignment), alignment.problems) == (HARBOUR.replace("int(raw)", "float(raw)"), ()), meant
    assert alignment.certainty < 1
    assert any(segment.reason for segment in alignment.segments)


def test_context_may_lack_a_trailing_comment_or_have_a_shortened_one():
    message = "```diff\n@@ @@\n         self.port = port\n         self.level = 0\n+        self.alarm = None\n```"
    assert apply(HARBOUR, message) == HARBOUR.replace("# last known\n", "# last known\n        self.alarm = None\n")
    original = "# Counts all the ships that came in since midnight\nships = 0\n"
    assert apply(
        original, "```diff\n@@ @@\n # Counts all the ships that came in...\n-ships = 0\n+ships = None\n```"
    ) == original.replace("0", "None")


def test_context_may_leave_out_and_add_blank_lines():
    message = (
        "```diff\n@@ @@\n import time\n class Gauge:\n+    unit = 'mm'\n\n"
        '     """Reads the level in millimetres."""\n```'
    )
    assert apply(HARBOUR, message) == HARBOUR.replace("class Gauge:\n", "class Gauge:\n    unit = 'mm'\n")


def test_context_may_be_wrapped_otherwise():
    original = "start(\n    port,\n    speed,\n)\nstop(port, speed)\n"
    message = "```diff\n@@ @@\n start(port, speed)\n-stop(port, speed)\n+stop(port)\n```"
    assert apply("start(\n    port, speed)\nstop(port, speed)\n", message) == "start(\n    port, speed)\nstop(port)\n"
    wrapped = "```diff\n@@ @@\n stop(port,\n      speed)\n+log()\n```"
    assert apply(original, wrapped) == original + "log()\n"


def test_a_line_of_context_may_have_been_left_out():
    message = (
        "```diff\n@@ @@\n     def __init__(self, port):\n         self.level = 0\n"
        "+        self.alarm = None\n \n     def read(self):\n         raw = self.port.read()\n```"
    )
    alignment = align(HARBOUR, message)
    assert not alignment.problems
    assert render(HARBOUR, alignment) == HARBOUR.replace("# last known\n", "# last known\n        self.alarm = None\n")
    assert alignment.certainty < 0.95


def test_removed_lines_may_be_misquoted_in_spacing_and_case():
    original = "CREATE TABLE ships (\n    id      uuid        NOT NULL,\n    length  numeric(6,2) NOT NULL\n);\n"
    message = (
        "```diff\n@@ @@\n CREATE TABLE ships (\n     id UUID NOT NULL,\n-    length NUMERIC(6, 2) NOT NULL\n"
        "+    length  numeric(8,2) NOT NULL\n );\n```"
    )
    assert apply(original, message, "a.sql") == original.replace("6,2", "8,2")


def test_a_context_line_with_a_dash_is_not_removed():
    original = "-- Ships\n\nCREATE TABLE ships (\n    id uuid\n);\n"
    message = "```diff\n@@ @@\n-- Ships\n\nCREATE TABLE ships (\n-    id uuid\n+    id bigint\n);\n```"
    assert apply(original, message, "a.sql") == original.replace("uuid", "bigint")
    tasks = "tasks:\n- name: a\n  run: x\n- name: b\n  run: y\n"
    assert apply(
        tasks, "```diff\n@@ @@\ntasks:\n- name: a\n-  run: x\n+  run: z\n- name: b\n```", "a.yml"
    ) == tasks.replace("run: x", "run: z")


def test_new_lines_take_the_originals_tabs():
    original = "func f() {\n\tif ok {\n\t\tgo()\n\t}\n}\n"
    old = "    if ok {\n        go()\n    }\n"
    new = "    if ok {\n        for {\n            go()\n        }\n    }\n"
    assert (
        apply(original, search_replace(old, new), "a.go")
        == "func f() {\n\tif ok {\n\t\tfor {\n\t\t\tgo()\n\t\t}\n\t}\n}\n"
    )


def test_new_lines_take_the_files_manner_where_the_context_shows_none():
    original = "func f() {\n\tgo()\n}\n"
    assert (
        apply(original, search_replace("}\n", "}\n\nfunc g() {\n    stop()\n}\n"), "a.go")
        == original + "\nfunc g() {\n\tstop()\n}\n"
    )
    spaced = "def f():\n    go()\n\n\nx = 1\n"
    assert (
        apply(spaced, search_replace("x = 1\n", "x = 1\n\n\ndef g():\n\tstop()\n"))
        == spaced + "\n\ndef g():\n    stop()\n"
    )


@pytest.mark.parametrize("columns", [-4, -2, 4])
def test_new_lines_shift_with_their_block(columns: int):
    old = "        self.level = int(raw)\n        return self.level\n"
    new = "        if raw:\n            self.level = int(raw)\n        return self.level\n"
    shifted = [
        text.replace("\n        ", "\n" + " " * (8 + columns)).replace("        ", " " * (8 + columns), 1)
        for text in (old, new)
    ]
    assert apply(HARBOUR, search_replace(*shifted)) == HARBOUR.replace(old, new)


def test_context_without_its_blank_does_not_shift_new_lines():
    message = (
        "```diff\n@@ @@\n    def read(self):\n        raw = self.port.read()\n+        print(raw)\n"
        "        self.level = int(raw)\n```"
    )
    expected = HARBOUR.replace("        self.level = int(raw)\n", "        print(raw)\n        self.level = int(raw)\n")
    assert apply(HARBOUR, message) == expected


def test_blanks_at_line_ends_that_only_the_patch_has_go():
    block = search_replace(
        "        self.level = int(raw)  \n", "        self.level = float(raw)  \n        self.time = time.time()  \n"
    )
    expected = HARBOUR.replace(
        "        self.level = int(raw)\n", "        self.level = float(raw)\n        self.time = time.time()\n"
    )
    assert apply(HARBOUR, block) == expected


def test_line_ends_and_the_final_newline_stay():
    original = "a = 1\r\nb = 2\r\nc = 3"
    assert apply(original, search_replace("b = 2\n", "b = 2\nb = 3\n")) == "a = 1\r\nb = 2\r\nb = 3\r\nc = 3"
    assert apply(original, search_replace("c = 3\n", "c = 4\nd = 5\n")) == "a = 1\r\nb = 2\r\nc = 4\r\nd = 5"


def test_a_misquoted_line_tells_among_many_equal_neighbours():
    names = ["add", "sub", "multiply", "divide", "clamp", "floor", "ceil", "round", "negate", "dot", "cross", "project"]
    original = "".join(f"\t{name}( vector ) {{\n\n\t\treturn this;\n\n\t}}\n\n" for name in names)
    message = "```diff\n@@ @@\n \t\treturn this;\n \n \t}\n \n+\tlength() {}\n+\n \tnegat( vector ) {\n \n```"
    alignment = align(original, message, "v.js")
    expected = original.replace("\tnegate(", "\tlength() {}\n\n\tnegate(")
    assert (render(original, alignment), alignment.problems) == (expected, ())
    assert alignment.certainty < 1


def test_an_elision_passes_over_lines():
    old = "class Gauge:\n    ...\n    def close(self):\n        self.port.close()\n"
    new = "class Gauge:\n    ...\n    def close(self):\n        self.port.flush()\n        self.port.close()\n"
    expected = HARBOUR.replace(
        "        self.port.close()\n", "        self.port.flush()\n        self.port.close()\n", 1
    )
    assert apply(HARBOUR, search_replace(old, new)) == expected


def test_a_hunk_may_pass_over_lines_without_saying_so():
    message = (
        '```diff\n@@ @@\n class Gauge:\n+    unit = "mm"\n     """Reads the level in millimetres."""\n \n'
        "         self.port = port\n         self.loud = False\n+        self.late = True\n```"
    )
    alignment = align(HARBOUR, message)
    expected = HARBOUR.replace("class Gauge:\n", 'class Gauge:\n    unit = "mm"\n')
    expected = expected.replace("loud = False\n", "loud = False\n        self.late = True\n")
    assert (render(HARBOUR, alignment), alignment.problems) == (expected, ())
    assert alignment.certainty < 0.8


def test_an_elision_in_context():
    message = (
        "```diff\n@@ @@\n class Siren:\n     ...\n     def close(self):\n+        log()\n"
        "         self.port.close()\n```"
    )
    head, tail = HARBOUR.rsplit("        self.port.close()", 1)
    assert apply(HARBOUR, message) == head + "        log()\n        self.port.close()" + tail


def test_the_end_of_the_file():
    message = (
        "*** Begin Patch\n*** Update File: a\n@@\n         self.port.close()\n+        self.port = None\n"
        "*** End of File\n*** End Patch"
    )
    assert apply(HARBOUR, message) == HARBOUR + "        self.port = None\n"
    bare = "*** Begin Patch\n*** Update File: a\n@@\n+# end\n*** End of File\n*** End Patch"
    assert apply(HARBOUR, bare) == HARBOUR + "# end\n"


def test_new_lines_for_an_empty_file():
    assert apply("", search_replace("", "x = 1\n")) == "x = 1\n"
    assert apply("", "```diff\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\n+y\n```") == "x\ny\n"


def test_a_deleted_file_loses_all_lines():
    alignment = align("a\nb\n", "*** Begin Patch\n*** Delete File: a\n*** End Patch")
    assert [(segment.kind, segment.end) for segment in alignment.segments] == [(SegmentKind.DELETE, 2)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        self.level = int(raw)\n", "        self.level = float(raw)\n"),
        ("import time\n", "import time\nimport os\n"),
        (
            "        return self.level\n\n    def close(self):\n        self.port.close()\n\n\nclass Siren:\n",
            "        return self.level\n\n\nclass Siren:\n",
        ),
    ],
    ids=["replaced", "inserted", "deleted"],
)
def test_what_is_there_already_changes_nothing(old: str, new: str):
    done = apply(HARBOUR, search_replace(old, new))
    alignment = align(done, search_replace(old, new))
    assert (render(done, alignment), alignment.problems, alignment.notes) == (done, (), (ALREADY_APPLIED,))


def test_hunks_that_are_there_already_do_not_keep_the_others_from_applying():
    half = HARBOUR.replace("import time\n", "import os\nimport time\n")
    blocks = search_replace("import time\n", "import os\nimport time\n")
    blocks += search_replace("        self.level = int(raw)\n", "        self.level = float(raw)\n")
    assert apply(half, blocks) == half.replace("int(raw)", "float(raw)")
