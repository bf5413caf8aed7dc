"""Everyday edits among like siblings."""

from __future__ import annotations

import random

from fastedit.training.alignment import siblings
from fastedit.training.alignment.additions import Addition
from fastedit.training.alignment.siblings import sibling_edit

ITEMS = ["COLOURS = [", '    "dark red",', '    "light green",', '    "deep blue",', "]", "", "x = 1"]
ELEMENTS = [
    "<list>", "  <item>", "    <name>one</name>", "  </item>", "  <item>", "    <name>two</name>", "  </item>",
    "  <item>", "    <name>three</name>", "  </item>", "</list>",
]  # fmt: skip
TEXT = [
    "# Notes",
    "",
    "## First",
    "",
    "The first one.",
    "",
    "## Second",
    "",
    "The second.",
    "",
    "## Third",
    "",
    "The third.",
]
REST = ["Title", "=====", "", "One", "---", "", "1", "", "Two", "---", "", "2", "", "Three", "-----", "", "3"]


def edits(lines: list[str], language: str) -> list[Addition]:
    found = [sibling_edit(lines, language, random.Random(seed)) for seed in range(60)]
    return [one for one in found if one is not None]


def test_one_of_several_is_put_back_or_changed() -> None:
    for lines, language, last in (
        (ITEMS, "python", '    "deep blue",'),
        (ELEMENTS, "xml", "    <name>three</name>"),
        (TEXT, "markdown", "The third."),
        (REST, "rst", "Three"),
    ):
        found = edits(lines, language)
        put_back = [one for one in found if one.result == lines]
        changed = [one for one in found if one.original == lines]
        assert len(put_back) > 10 < len(changed)
        assert len(put_back) + len(changed) == len(found)
        assert any(last not in one.original and last in one.shown for one in put_back)
        for one in found:
            new = [line for line in one.result if line.strip() and line not in one.original]
            assert set(new) <= set(one.shown)  # all that is new is shown
            assert len(one.shown) < len(lines)


def test_what_is_no_group_of_siblings_is_left() -> None:
    assert not edits(["a = 1", "b = 2", "c = 3"], "python")
    assert not edits(ITEMS[:3] + ITEMS[4:], "python")  # two are too few
    assert not edits([*TEXT, "```"], "markdown")
    assert not edits([line.replace("</item>", "</other>") for line in ELEMENTS], "xml")


def test_markers_are_comments_where_there_are_such(monkeypatch) -> None:
    monkeypatch.setattr(siblings, "CHANGED", 0.0)
    assert all(any(line.strip().startswith("#") for line in one.shown) for one in edits(ITEMS, "python"))
    assert all(any("<!--" in line for line in one.shown) for one in edits(ELEMENTS, "xml"))
    shown = [one.shown for one in edits(TEXT, "markdown")]
    assert any(any("<!--" in line for line in lines) for lines in shown)
