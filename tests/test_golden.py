"""Lazy edits in the habits of coding assistants, each with the exact file that a careful reader makes of it.

A folder of `golden/` holds `original.EXT`, `edit.md` (the whole message) and `expected.EXT`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fastedit import apply

GOLDEN = Path(__file__).parent / "golden"
NAMES = sorted(path.parent.name for path in GOLDEN.glob("*/edit.md"))


def read(name: str) -> tuple[str, str, str, str]:
    """The original, the message, the expected text and the file's extension."""
    folder = GOLDEN / name
    (original,) = folder.glob("original.*")
    before, edit, after = (
        path.read_bytes().decode() for path in (original, folder / "edit.md", folder / f"expected{original.suffix}")
    )
    return before, edit, after, original.suffix


def test_there_are_many_edits_in_many_languages():
    assert len(NAMES) >= 24
    assert len({read(name)[3] for name in NAMES}) >= 10


@pytest.mark.parametrize("name", NAMES)
def test_the_edit_gives_exactly_what_is_expected(name: str):
    original, edit, expected, suffix = read(name)
    assert original != expected
    assert apply(original, edit, path=f"sample{suffix}", mode="structural").text == expected


@pytest.mark.parametrize("name", NAMES)
def test_the_edit_changes_nothing_the_second_time(name: str):
    _, edit, expected, suffix = read(name)
    again = apply(expected, edit, path=f"sample{suffix}", mode="structural")
    assert again.text == expected
    assert "NO_CHANGE" in [warning.code for warning in again.warnings]


@pytest.mark.parametrize("name", NAMES)
def test_the_other_line_ends_change_nothing_but_line_ends(name: str):
    original, edit, expected, suffix = read(name)
    if "\r\n" in original:
        other = original.replace("\r\n", "\n"), expected.replace("\r\n", "\n")
    else:
        other = original.replace("\n", "\r\n"), expected.replace("\n", "\r\n")
    assert apply(other[0], edit, path=f"sample{suffix}", mode="structural").text == other[1]


@pytest.mark.parametrize("name", NAMES)
def test_the_message_may_have_crlf(name: str):
    original, edit, expected, suffix = read(name)
    assert apply(original, edit.replace("\n", "\r\n"), path=f"sample{suffix}", mode="structural").text == expected
