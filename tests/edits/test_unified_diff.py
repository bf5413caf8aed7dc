"""Unified diffs as models write them."""

from contextlib import suppress
from textwrap import dedent

import pytest

from fastedit.edits.model import Action, Edit, Op
from fastedit.edits.unified_diff import is_unified_diff, parse_unified_diff, raw_end
from fastedit.errors import Code, EditUnreadable
from support.timing import took


def parse(text: str) -> list[Edit]:
    return parse_unified_diff(dedent(text).strip("\n").split("\n"), 0)


def shown(edit: Edit, hunk: int = 0) -> list[str]:
    return [line.op.value + line.text for line in edit.hunks[hunk].lines]


def test_hunk_has_its_lines_its_number_and_its_scope():
    (edit,) = parse(
        """
        --- a/lib/tide.py
        +++ b/lib/tide.py
        @@ -12,3 +12,3 @@ class Tide:
             def level(self):
        -        return 1
        +        return 2
             # end
        """
    )
    (hunk,) = edit.hunks
    assert (edit.path, edit.action, hunk.line_hint, hunk.scopes) == ("lib/tide.py", Action.UPDATE, 11, ("class Tide:",))
    assert hunk.old == ["    def level(self):", "        return 1", "    # end"]
    assert hunk.new == ["    def level(self):", "        return 2", "    # end"]


@pytest.mark.parametrize(
    ("header", "hint", "scopes"),
    [
        ("@@ -3 +3 @@", 2, ()),
        ("@@ -0,0 +1,4 @@", 0, ()),
        ("@@ -7,0 +8,2 @@", 7, ()),
        ("@@ @@", None, ()),
        ("@@", None, ()),
        ("@@ ... @@", None, ()),
        ("@@ ... @@ def boil():", None, ("def boil():",)),
        ("@@ def boil():", None, ("def boil():",)),
        ("@@ class Pot @@", None, ("class Pot",)),
        ("@@ -12,7 @@", None, ()),
        ("@@ -" + "9" * 50_000 + ",3 +1 @@", None, ()),
    ],
)
def test_hunk_headers(header: str, hint: int | None, scopes: tuple[str, ...]):
    (edit,) = parse_unified_diff([header, " a", "+b"], 0)
    assert (edit.hunks[0].line_hint, edit.hunks[0].scopes) == (hint, scopes)


def test_counts_are_not_believed():
    (edit,) = parse(
        """
        --- x
        +++ x
        @@ -1,99 +1,2 @@
         a
        -b
        +c
        @@ -40,1 +40,70 @@
         d
        +e
        """
    )
    assert [shown(edit, n) for n in (0, 1)] == [[" a", "-b", "+c"], [" d", "+e"]]


def test_context_without_its_blank_keeps_its_columns():
    (edit,) = parse(
        """
        --- pool.rs
        +++ pool.rs
        @@ -2,5 +2,6 @@
        };

            fn put(&self) {
        -        self.stack.push(1);
        +        self.stack.push(2);
        +        self.count += 1;
            }
        """
    )
    assert edit.hunks[0].old == ["};", "", "    fn put(&self) {", "        self.stack.push(1);", "    }"]


def test_context_lacks_its_blank_in_a_hunk_that_never_touches_the_margin():
    (edit,) = parse_unified_diff(["@@ @@", "    def f(self):", "-        return 1", "+        return 2"], 0)
    assert edit.hunks[0].old == ["    def f(self):", "        return 1"]


def test_only_some_context_lacks_its_blank():
    lines = ["@@ @@", "class A:", "     x = 1", "-    y = 2", "+    y = 3", "    z = 4", "\tt = 5"]
    (edit,) = parse_unified_diff(lines, 0)
    assert edit.hunks[0].old == ["class A:", "    x = 1", "    y = 2", "    z = 4", "\tt = 5"]


def test_empty_context_lines_without_their_blank():
    (edit,) = parse_unified_diff(["@@ -1,3 +1,4 @@", " a", "", "+b", " c", "", ""], 0)
    assert shown(edit) == [" a", " ", "+b", " c"]


def test_what_is_removed_and_added_again_is_context():
    (edit,) = parse_unified_diff(["@@ @@", "-    if ready:", "-        go()", "+    if ready:", "+        run()"], 0)
    assert shown(edit) == [" " + "    if ready:", "-        go()", "+        run()"]


def test_order_of_two_changes_side_by_side_stays():
    (edit,) = parse_unified_diff(["@@ @@", "-a", "+b", "-c", "+d"], 0)
    assert shown(edit) == ["-a", "+b", "-c", "+d"]


def test_created_deleted_renamed_and_mode_changed_files():
    created, deleted, renamed, mode = parse(
        """
        diff --git a/new.sh b/new.sh
        new file mode 100755
        index 0000000..e69de29
        --- /dev/null
        +++ b/new.sh
        @@ -0,0 +1,2 @@
        +#!/bin/sh
        +true
        diff --git a/gone.txt b/gone.txt
        deleted file mode 100644
        --- a/gone.txt
        +++ /dev/null
        @@ -1 +0,0 @@
        -old
        diff --git a/one.py b/two.py
        similarity index 90%
        rename from one.py
        rename to two.py
        --- a/one.py
        +++ b/two.py
        @@ -1 +1 @@
        -x
        +y
        diff --git a/run b/run
        old mode 100644
        new mode 100755
        """
    )
    assert (created.path, created.action, created.hunks[0].new) == ("new.sh", Action.CREATE, ["#!/bin/sh", "true"])
    assert (deleted.path, deleted.action, shown(deleted)) == ("gone.txt", Action.DELETE, ["-old"])
    assert (renamed.path, renamed.new_path, shown(renamed)) == ("one.py", "two.py", ["-x", "+y"])
    assert (mode.path, mode.hunks) == ("run", ())


def test_pure_rename_has_no_hunks():
    (edit,) = parse("diff --git a/a b/b\nrename from a\nrename to b")
    assert (edit.path, edit.new_path, edit.hunks) == ("a", "b", ())


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("a/src/x.py", "b/src/x.py", "src/x.py"),
        ("src/x.py", "src/x.py", "src/x.py"),
        ("a/src/x.py", "a/src/x.py", "src/x.py"),
        ("i/x.py", "w/x.py", "x.py"),
        ("a/x.py\t2024-01-01 10:00:00", "b/x.py\t2024-01-01 10:00:01", "x.py"),
        ("x.py (original)", "x.py (updated)", "x.py"),
        ('"a/my file.py"', '"b/my file.py"', "my file.py"),
        ("a/../../etc/passwd", "b/../../etc/passwd", "../../etc/passwd"),
        ("/dev/null", "b/b/x.py", "b/x.py"),
    ],
)
def test_paths_of_a_header(old: str, new: str, path: str):
    (edit,) = parse_unified_diff([f"--- {old}", f"+++ {new}", "@@ @@", "+x"], 0)
    assert edit.path == path


def test_several_files_and_none_named():
    edits = parse_unified_diff(["--- a", "+++ a", "@@ @@", "+x", "--- b", "+++ b", "@@ @@", "-y"], 0)
    assert [(edit.path, shown(edit)) for edit in edits] == [("a", ["+x"]), ("b", ["-y"])]
    (bare,) = parse_unified_diff([" a", "-b", "+c"], 0)
    assert (bare.path, shown(bare)) == (None, [" a", "-b", "+c"])


def test_path_on_a_line_of_its_own():
    (edit,) = parse_unified_diff(["src/tide.go", "@@ @@", " a", "+b"], 0)
    assert (edit.path, shown(edit)) == ("src/tide.go", [" a", "+b"])


def test_deleted_sql_comment_is_no_header():
    (edit,) = parse_unified_diff(["--- a", "+++ b", "@@ -1,3 +1,3 @@", " x", "--- old", "+++ new", " y"], 0)
    assert shown(edit) == [" x", "--- old", "+++ new", " y"]


def test_note_about_the_final_newline_and_a_mails_signature_are_no_lines():
    lines = ["@@ -1 +1 @@", "-a", "\\ No newline at end of file", "+b", "\\ No newline at end of file", "-- ", "2.45.1"]
    (edit,) = parse_unified_diff(lines, 0)
    assert shown(edit) == ["-a", "+b"]


def test_elided_context_is_a_skip():
    (edit,) = parse_unified_diff(["@@ @@", " def f():", "     ...", "-    return 1", "+    return 2"], 0)
    assert [line.op for line in edit.hunks[0].lines] == [Op.KEEP, Op.SKIP, Op.DELETE, Op.ADD]


@pytest.mark.parametrize(
    ("lines", "line", "what"),
    [
        (["--- a", "+++ b"], 1, "no hunk"),
        (["diff --git a/p.png b/p.png", "GIT binary patch"], 2, "binary"),
        (["diff --git a/p.png b/p.png", "Binary files a/p.png and b/p.png differ"], 2, "binary"),
        (["--- a", "+++ b", "@@@ -1,2 -1,2 +1,3 @@@", "  x"], 3, "combined"),
    ],
)
def test_broken_diffs_are_refused_with_their_line(lines: list[str], line: int, what: str):
    with pytest.raises(EditUnreadable, match=f"line {line}: .*{what}") as refused:
        parse_unified_diff(lines, 0)
    assert refused.value.code is Code.EDIT_UNPARSABLE


def test_is_unified_diff():
    assert is_unified_diff(["--- a/x", "+++ b/x"])
    assert is_unified_diff(["@@ -1 +1 @@", "-a", "+b"])
    assert not is_unified_diff(["- an item", "- another", "+ plus"])
    assert not is_unified_diff(["@decorator", "def f(): ..."])


def test_unfenced_diff_ends_before_the_prose():
    lines = ["--- a/x", "+++ b/x", "@@ -1 +1 @@", " a", "", "-b", "", "That is all.", "- and a list"]
    assert raw_end(lines, 0) == 6
    assert raw_end(lines, 7) == 7


@pytest.mark.parametrize(
    "text",
    [
        "@@ -" + "9" * 200_000 + " @@\n-a",
        "--- a\n+++ b\n" * 20_000,
        "@" * 200_000 + "\n-a",
        "diff --git " + "a " * 60_000,
    ],
    ids=["digits", "headers", "at signs", "git"],
)
def test_time_is_linear(text: str):
    def read() -> None:
        with suppress(EditUnreadable):
            parse_unified_diff(text.split("\n"), 0)

    assert took(read) < 150
