"""Lines that change hands."""

from __future__ import annotations

import pytest

from fastedit.guard.owners import taken_over
from fastedit.syntax import outline
from support.applying import refusal

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


def test_an_edit_that_would_join_two_tables_is_refused() -> None:
    edit = (
        "[model]\nhidden = 512\nlayers = 6\n# ... existing code ...\n"
        '# Add folders of your own.\nsources = ["stdlib", "torch"]\n\n[schedule]\n# ... existing code ...\n'
    )
    refused = refusal(TABLES, edit, path="train.toml")
    assert refused.code == "SYMBOL_LOST"
    assert "data is gone" in refused.message
