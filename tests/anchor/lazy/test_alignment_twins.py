"""Paths that come to the same text are told before it is written."""

from __future__ import annotations

import pytest

from fastedit.anchor.lazy.result.columns import changes_of
from fastedit.anchor.lazy.result.realise import Realiser, Twins
from fastedit.anchor.lazy.search.grid import Grid
from fastedit.anchor.lazy.search.paths import PathPlan, plan_of
from fastedit.anchor.lazy.search.search import Search
from support.aligning import WEIGHTS, grid_of

STORE = """\
import json


class Store:
    limit = 3

    def load(self, path):
        with open(path) as file:
            return json.load(file)

    def size(self):
        return len(self.items)
"""
EDITS = {
    "changed": "class Store:\n    limit = 5\n\n    def load(self, path):",
    "added": "    def load(self, path):\n        check(path)\n        with open(path) as file:",
    "method": "class Store:\n    # ...\n    def size(self):\n        return 0\n\n    def clear(self):\n        pass",
    "moved": "def size(self):\n    if self.items:\n        return len(self.items)\n    return 0",
    "elided": "class Store:\n  # ...\n  def load(self, path, ...):\n    with open(path, 'rb') as file:\n      # ...",
    "blank": "import json\n\nimport os\n\n\nclass Store:\n    limit = 3\n    size = 4\n\n    def load(self, path):",
}


def text_of(plan: PathPlan, grid: Grid) -> list[str]:
    lines = list(grid.original.texts)
    for start, end, new in reversed(changes_of(Realiser(grid, plan).cells(), len(lines))):
        lines[start:end] = new
    return lines


def plans_of(edit: str) -> tuple[Grid, list[PathPlan]]:
    grid = grid_of(STORE, edit)
    plans = [plan_of(path, grid) for path in Search(grid, WEIGHTS).best(150, beam=20)]
    return grid, [plan for plan in plans if plan is not None]


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_twins_come_to_a_text_that_was_there_before(edit: str) -> None:
    grid, plans = plans_of(edit)
    twins = Twins(grid)
    known: list[list[str]] = []
    num_twins = 0
    for plan in plans:
        text = text_of(plan, grid)
        if twins.is_new(plan):
            known.append(text)
        else:
            num_twins += 1
            assert text in known
    assert num_twins > 2


def plan(quoted: dict[int, tuple[int, int]], new: dict[int, list[int]], deleted: set[int]) -> PathPlan:
    rows = sorted([*quoted, *(row for rows in new.values() for row in rows)])
    return PathPlan(quoted=quoted, new=new, deleted=deleted, free_before={0}, order=rows)


def test_a_quoted_line_is_the_twin_of_a_deleted_one_that_is_written_anew() -> None:
    grid = grid_of(STORE, "class Store:\n    limit = 3\n\n    def load(self, path):")
    first, middle, blank, last = (
        (line, grid.pairs[row].lines.tolist().index(line)) for row, line in ((0, 3), (1, 4), (2, 5), (3, 6))
    )
    around = {0: first, 2: blank, 3: last}
    twins = Twins(grid)
    assert twins.is_new(plan({**around, 1: middle}, {}, set()))
    assert not twins.is_new(plan(around, {5: [1]}, {4}))
    assert twins.is_new(plan(around, {5: [1]}, set()))
    assert twins.is_new(plan(around, {}, {4}))
