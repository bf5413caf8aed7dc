"""Everyday edits among siblings."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from fastedit.training.alignment.additions import Addition
from fastedit.training.alignment.siblings import sibling_edit

ITEMS = ["COLOURS = [", '    "dark red",', '    "light green",', '    "deep blue"', "]", "", "x = 1"]
ELEMENTS = [
    "<list>", "  <item>", "    <name>one</name>", "  </item>", "  <item>", "    <name>two</name>", "  </item>",
    "  <item>", "    <name>three</name>", "  </item>", "</list>",
]  # fmt: skip
METHODS = [
    "class Store {", "  load() {", "    return 1;", "  }", "", "  save() {", "    return 2;", "  }", "",
    "  drop() {", "    return 3;", "  }", "}",
]  # fmt: skip
KEYS = ["jobs:", "  test:", "    needs: [lint]", "    image: one", "    stage: first", "done: true"]


def _bare(lines: Sequence[str]) -> set[str]:
    return {line.strip().rstrip(",") for line in lines}


def edits(lines: list[str], language: str) -> list[Addition]:
    found = [sibling_edit(lines, language, random.Random(seed)) for seed in range(80)]
    return [one for one in found if one is not None]


@pytest.mark.parametrize(
    ("lines", "language", "last"),
    [
        (ITEMS, "python", '    "deep blue"'),
        (ELEMENTS, "html", "    <name>three</name>"),
        (METHODS, "javascript", "  drop() {"),
        (KEYS, "yaml", "    stage: first"),
    ],
)
def test_one_of_several_is_put_back_or_changed(lines: list[str], language: str, last: str) -> None:
    found = edits(lines, language)
    put_back = [one for one in found if len(one.original) < len(one.result)]
    changed = [one for one in found if len(one.original) == len(one.result)]
    assert len(put_back) > 20
    assert len(changed) > 5
    assert any(last not in one.original and last in one.shown for one in put_back)
    for one in found:
        before, after, shown = (_bare(text) for text in (one.original, one.result, one.shown))
        assert after - before <= shown  # all that is new is shown
        assert any("..." in line or line.strip() not in "".join(lines) for line in one.shown)  # the marker
    whole = {tuple(one.result) for one in put_back}
    assert tuple(lines) in whole


def test_the_one_before_the_last_loses_its_comma() -> None:
    shorter = [one for one in edits(ITEMS, "python") if not any("deep blue" in line for line in one.original)]
    assert shorter
    assert all('    "light green"' in one.original for one in shorter)


def test_what_is_no_group_of_siblings_is_left() -> None:
    assert not edits(["a = 1", "b = 2", "c = 3"], "python")
    assert not edits([*ITEMS[:2], *ITEMS[3:5]], "python")  # two are too few
    assert not edits([*ITEMS, *ITEMS], "python")  # nothing tells which
