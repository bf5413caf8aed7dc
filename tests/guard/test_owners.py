"""Lines that change hands."""

from __future__ import annotations

import pytest

from fastedit.anchor.model import Alignment, Segment, SegmentKind
from fastedit.edits.model import Edit, Format
from fastedit.guard import Original, inspect
from fastedit.guard.faithful import taken_over
from fastedit.syntax import outline
from support.applying import lazily

TABLES = """\
[model]
hidden = 256
layers = 6

[data]
shards = "shards"
# Add folders of your own.
sources = ["stdlib"]

[schedule]
minutes = 90
"""
FUNCTIONS = """\
def read(path):
    text = path.read_text()
    return text.splitlines()


def count(path):
    lines = read(path)
    return len(lines)
"""


def found(before: str, after: str, language: str, gone: set[str]) -> tuple[str, str] | None:
    return taken_over(before, outline(before, language), after, outline(after, language), gone)


def test_keys_that_come_to_be_another_tables() -> None:
    after = TABLES.replace('\n[data]\nshards = "shards"\n', "")
    assert found(TABLES, after, "toml", {"data"}) == ("data", "model")


def test_the_end_of_a_function_that_is_left_behind() -> None:
    after = FUNCTIONS.replace("    return text.splitlines()\n\n\ndef count(path):\n    lines = read(path)\n", "")
    assert found(FUNCTIONS, after, "python", {"count"}) == ("count", "read")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[data]", "[inputs]"),
        ('[data]\nshards = "shards"\n# Add folders of your own.\nsources = ["stdlib"]\n\n', ""),  # all of it goes
        ('\n[data]\nshards = "shards"\n', "\n[data]\n"),
        (
            '[data]\nshards = "shards"\n# Add folders of your own.\nsources = ["stdlib"]',
            '[input]\nsources = ["stdlib"]',
        ),
    ],
)
def test_what_goes_or_is_renamed_as_a_whole_changes_no_hands(old: str, new: str) -> None:
    assert found(TABLES, TABLES.replace(old, new), "toml", {"data"}) is None


def test_a_line_that_stands_elsewhere_too_says_nothing() -> None:
    before = FUNCTIONS.replace("return len(lines)", "return text.splitlines()")
    after = before.replace("\n\ndef count(path):\n    lines = read(path)\n", "")
    assert found(before, after, "python", {"count"}) is None


def test_a_result_that_joins_two_tables_is_turned_down() -> None:
    joined = TABLES.replace('\n[data]\nshards = "shards"\n', "")
    before = Original(TABLES, "toml", outline(TABLES, "toml"))
    alignment = Alignment((Segment(SegmentKind.DELETE, 3, 6),))
    findings = inspect(before, joined, alignment, (Edit(Format.LAZY),), "")
    assert any(one.is_fatal and "data is gone" in one.message for one in findings)


def test_a_table_that_a_marker_stands_for_stays() -> None:
    edit = (
        "[model]\nhidden = 512\nlayers = 6\n# ... existing code ...\n"
        '# Add folders of your own.\nsources = ["stdlib", "torch"]\n\n[schedule]\n# ... existing code ...\n'
    )
    expected = TABLES.replace("256", "512").replace('"stdlib"', '"stdlib", "torch"')
    assert lazily(TABLES, edit, "train.toml").text == expected
