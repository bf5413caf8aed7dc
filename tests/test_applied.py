"""What applying gives back: counts, diffs that other tools take, and line ends."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit import Changes
from fastedit.anchor.model import Alignment, Segment, SegmentKind
from fastedit.applied import count_changes, render, unified_diff
from support.applying import lazily
from support.examples import examples

NUMBERS = "".join(f"{number}\n" for number in range(30))
LINES = st.lists(st.sampled_from(["a", "b", "c", "", "  d", "-e", "+f", "\\ g", "@@ h", "i\r"]), max_size=14)
PAIRS = [
    ("", "new\n"),
    ("old\n", ""),
    ("a\n", "a"),
    ("a", "a\n"),
    ("a", "b"),
    ("a\nb", "a\nb\nc"),
    ("a\r\nb\r\n", "a\r\nc\r\n"),
    ("a\r\nb\n", "a\r\nb\nc\n"),
    ("a\x0cb\n", "a\x0cc\n"),
    ("a\u2028b\nc\n", "a\u2028b\nd\n"),
    (NUMBERS, NUMBERS.replace("7\n", "", 1)),
    (NUMBERS, NUMBERS.replace("\n3\n", "\nthree\n").replace("\n28\n", "\n28\n28\n")),
    (NUMBERS, "first\n" + NUMBERS + "last"),
    (NUMBERS, NUMBERS[:-1]),
    ("same\n" * 50, "same\n" * 49),
]


def apply_with(tool: str, folder: Path, before: str, diff: str) -> bytes:
    """What an outside tool makes of a diff to `a.txt`."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "a.txt"
    file.write_bytes(before.encode())
    commands = {
        "git": ["git", "apply", "--whitespace=nowarn", "--unidiff-zero", "-"],
        "patch": ["patch", "--binary", "-s", "-p1", "a.txt"],
    }
    done = subprocess.run(commands[tool], cwd=folder, input=diff.encode(), capture_output=True)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    return file.read_bytes()


# `patch` takes an emptied file for a deleted one.
@pytest.mark.parametrize(
    ("tool", "before", "after"),
    [("git", *pair) for pair in PAIRS] + [("patch", *pair) for pair in PAIRS if pair[1]],
)
def test_other_tools_take_the_diff(tmp_path: Path, tool: str, before: str, after: str):
    if not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    assert apply_with(tool, tmp_path, before, unified_diff(before, after, "a.txt")) == after.encode()


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
@examples(40)
@given(LINES, LINES, st.booleans(), st.booleans())
def test_git_takes_any_diff(
    tmp_path_factory: pytest.TempPathFactory, old: list[str], new: list[str], first: bool, last: bool
):
    before, after = "\n".join(old) + "\n" * first, "\n".join(new) + "\n" * last
    if before == after:
        assert unified_diff(before, after, "a.txt") == ""
        return
    folder = tmp_path_factory.getbasetemp() / "any"
    assert apply_with("git", folder, before, unified_diff(before, after, "a.txt")) == after.encode()


def test_the_diff_names_the_file_and_only_what_changed():
    applied = lazily(NUMBERS.replace("17\n", "x = 17\n"), "# ...\n16\nx = 18\n18\n# ...", "folder/a.py")
    assert applied.diff == (
        "--- a/folder/a.py\n+++ b/folder/a.py\n@@ -15,7 +15,7 @@\n 14\n 15\n 16\n-x = 17\n+x = 18\n 18\n 19\n 20\n"
    )


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("a\n", "a\n", Changes()),
        ("", "a\nb\n", Changes(added=2)),
        ("a\nb\n", "", Changes(removed=2)),
        ("a\nb\nc\n", "a\nx\nc\n", Changes(modified=1)),
        ("a\nb\nc\n", "a\nx\ny\nc\n", Changes(added=1, modified=1)),
        ("a\nb\nc\nd\n", "a\nx\nd\n", Changes(removed=1, modified=1)),
        ("a\n", "a\r\n", Changes(modified=1)),
        ("a\nb\nc\nd\ne\n", "b\nc\nd\ne\nf\n", Changes(added=1, removed=1)),
    ],
)
def test_changes_count_lines(before: str, after: str, changes: Changes):
    assert count_changes(before, after) == changes
    assert changes.total == changes.added + changes.removed + changes.modified


@given(LINES, LINES)
def test_counts_add_up(old: list[str], new: list[str]):
    before, after = "".join(line + "\n" for line in old), "".join(line + "\n" for line in new)
    changes = count_changes(before, after)
    assert changes.added - changes.removed == len(new) - len(old)
    assert (changes.total == 0) == (before == after)


# -- rendering an alignment ----------------------------------------------------------------------------------------


def rendered(original: str, *segments: Segment) -> str:
    return render(original, Alignment(segments))


def keep(start: int, end: int) -> Segment:
    return Segment(SegmentKind.KEEP, start, end)


def insert(at: int, *lines: str) -> Segment:
    return Segment(SegmentKind.INSERT, at, at, lines)


def replace(start: int, end: int, *lines: str) -> Segment:
    return Segment(SegmentKind.REPLACE, start, end, lines)


def test_new_lines_take_the_end_of_their_neighbour():
    original = "a\r\nb\nc\r\nd\n"
    assert rendered(original, keep(0, 1), insert(1, "x"), keep(1, 4)) == "a\r\nx\r\nb\nc\r\nd\n"
    assert rendered(original, keep(0, 2), insert(2, "x"), keep(2, 4)) == "a\r\nb\nx\nc\r\nd\n"
    assert rendered(original, keep(0, 1), replace(1, 3, "x", "y"), keep(3, 4)) == "a\r\nx\ny\r\nd\n"


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_end_of_the_file_stays_as_it_was(end: str, line_end: str):
    end = end.replace("\n", line_end)
    original = "a\nb\nc".replace("\n", line_end) + end
    assert rendered(original, keep(0, 3), insert(3, "d")) == f"a{line_end}b{line_end}c{line_end}d{end}"
    assert rendered(original, keep(0, 2), replace(2, 3, "x")) == f"a{line_end}b{line_end}x{end}"
    assert rendered(original, keep(0, 2), Segment(SegmentKind.DELETE, 2, 3)) == f"a{line_end}b{end}"


def test_an_empty_file_gets_whole_lines_and_an_emptied_one_is_empty():
    assert rendered("", insert(0, "a", "b")) == "a\nb\n"
    assert rendered("a\nb\n", Segment(SegmentKind.DELETE, 0, 2)) == ""


def test_kept_lines_are_kept_to_the_byte():
    odd = "a\x0c\r\r\n\u2028b \t\nc\x85\n\xa0"
    assert rendered(odd, keep(0, 4)) == odd
