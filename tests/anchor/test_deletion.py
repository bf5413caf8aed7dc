"""Diffs that delete a file: taken where they show the file, refused where something else would be lost."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fastedit
from fastedit import EditRefused
from fastedit.edits import parse_message
from fastedit.errors import Code, PlaceUnknown
from fastedit.lines import split_lines

ORIGINAL = (
    "import time\n\n\nclass Gauge:\n\tdef read(self):\n\t\treturn self.port.read()\n\n"
    "class Siren:\n\tdef wail(self, seconds):\n\t\ttime.sleep(seconds)\n"
)


def deletion(text: str, head: str = "--- a/gauge.py\n+++ /dev/null\n") -> str:
    """A diff that deletes a file with this text."""
    lines = "".join(f"-{line}\n" for line in text.splitlines())
    return f"```diff\n{head}@@ -1,{len(text.splitlines())} +0,0 @@\n{lines}```\n"


def outcome(message: str, original: str = ORIGINAL) -> str:
    return fastedit.apply(original, message, path="gauge.py", mode="structural").text


def refused(message: str, original: str = ORIGINAL) -> EditRefused:
    with pytest.raises(PlaceUnknown) as caught:
        outcome(message, original)
    assert caught.value.code is Code.ANCHOR_NOT_FOUND
    return caught.value


@pytest.mark.parametrize(
    "head",
    [
        "--- a/gauge.py\n+++ /dev/null\n",
        "diff --git a/gauge.py b/gauge.py\ndeleted file mode 100644\nindex 1f2e3d4..0000000\n",
    ],
    ids=["plain", "git's"],
)
def test_a_file_that_is_shown_is_deleted(head: str) -> None:
    assert outcome(deletion(ORIGINAL, head)) == ""


@pytest.mark.parametrize(
    "quoted",
    [
        ORIGINAL.replace("\t", "    "),
        ORIGINAL.replace("\n\n", "\n"),
        ORIGINAL.replace("(self, seconds)", "( self,seconds )"),
        ORIGINAL + "\n\n",
    ],
    ids=["blanks for tabs", "no blank lines", "other spacing", "more blank lines"],
)
def test_white_space_is_no_other_version(quoted: str) -> None:
    assert outcome(deletion(quoted)) == ""
    assert outcome(deletion(quoted), ORIGINAL.replace("\n", "\r\n")) == ""


def test_several_hunks_show_a_file_together() -> None:
    upper, lower = ORIGINAL.split("class Siren")
    both = deletion(upper).removesuffix("```\n") + deletion("class Siren" + lower, "").removeprefix("```diff\n")
    assert outcome(both) == ""


def test_a_deletion_that_shows_nothing_fits_any_file() -> None:
    assert outcome("*** Begin Patch\n*** Delete File: gauge.py\n*** End Patch\n") == ""
    assert outcome("diff --git a/gauge.py b/gauge.py\ndeleted file mode 100644\n") == ""


@pytest.mark.parametrize(
    ("quoted", "words", "lines"),
    [
        (ORIGINAL.replace("sleep(seconds)", "sleep(2)"), "1 other lines for line 10", (9, 10)),
        (
            ORIGINAL.replace("class Siren:\n\tdef wail(self, seconds):\n", ""),
            "lines 8-9 of the file are not in it",
            (7, 9),
        ),
        (ORIGINAL.replace("\t\treturn self.port.read()\n", ""), "line 6 of the file is not in it", (5, 6)),
        (ORIGINAL + "\nSIREN = Siren()\n", "1 of its lines are not in the file", (10, 10)),
        ("class Harbour:\n    pass\n", "2 other lines for lines 1-10", (0, 10)),
    ],
    ids=["a line differs", "lines are missing", "a line is missing", "a line too many", "another file"],
)
def test_another_version_is_not_deleted(quoted: str, words: str, lines: tuple[int, int]) -> None:
    refusal = refused(deletion(quoted))
    assert words in refusal.message
    (place,) = refusal.candidates
    assert (place.start_line, place.end_line) == lines
    assert place.text == "\n".join(ORIGINAL.split("\n")[slice(*lines)])


def test_an_elision_shows_nothing() -> None:
    abridged = deletion("import time\n").removesuffix("```\n") + " ...\n-\t\ttime.sleep(seconds)\n```\n"
    assert "lines 4-9" in refused(abridged).message


def test_an_empty_file_is_not_one_with_lines() -> None:
    assert refused(deletion("x = 1\n"), "").candidates[0].text == ""


def test_a_deletion_that_adds_lines_cannot_be_told() -> None:
    with pytest.raises(EditRefused) as caught:
        parse_message(deletion(ORIGINAL).removesuffix("```\n") + "+import os\n```\n")
    assert caught.value.code is Code.EDIT_UNPARSABLE


LINES = st.lists(st.sampled_from(["alpha = 1", "beta(2)", "    gamma", "-- delta", "+epsilon", "", "}"]), max_size=12)


@given(LINES, st.data())
def test_only_the_file_that_a_diff_shows_is_deleted(lines: list[str], data: st.DataObject) -> None:
    assume(any(line.strip() for line in lines))
    text = "".join(f"{line}\n" for line in lines)
    shown = difflib.unified_diff(split_lines(text), [], "a/gauge.py", "/dev/null")
    message = f"```diff\n{''.join(shown)}```\n"
    assert outcome(message, text) == ""
    at = data.draw(st.integers(0, len(lines)))
    assert refused(message, "".join(f"{line}\n" for line in [*lines[:at], "kept = True", *lines[at:]]))
