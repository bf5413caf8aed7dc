"""What the forecast says of the steps of a search: taken over to other rows and lines, and heard by the search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from fastedit.anchor.lazy.forecast import network
from fastedit.anchor.lazy.forecast.network import Outcomes
from fastedit.anchor.lazy.forecast.tokens import Tokens
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.search.grid import Grid
from fastedit.anchor.lazy.search.guide import (
    LEAST_CHANCE,
    MAX_ODDS,
    UNSEEN_ODDS,
    WRITTEN_ODDS,
    SearchGuide,
    guide_of,
)
from fastedit.anchor.lazy.search.paths import plan_of
from fastedit.anchor.lazy.search.rows import Row
from fastedit.anchor.lazy.search.search import Search
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import WEIGHTS, grid_of

ROWS = (Row("a", 0), Row("b", 1))


def told(gone: dict[int, float], places: dict[int, float], numbers: Sequence[int | None] = range(6)) -> SearchGuide:
    """What outcomes say of two rows where nothing but what is given is likely: log odds and log chances by line."""
    num_lines = 5
    odds = np.full(num_lines + 1, -5.0, np.float32)
    odds[list(gone)] = list(gone.values())
    chances = np.full((2, num_lines + 1), -20.0, np.float32)
    chances[:, list(places)] = list(places.values())
    fates = np.log(np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]], np.float32))
    outcomes = Outcomes(odds, np.full(num_lines + 1, -9.0, np.float32), fates, chances)
    return guide_of(ROWS, outcomes, 0, np.arange(num_lines + 1, dtype=np.int32), num_lines, numbers)


def test_a_new_row_may_come_behind_lines_that_go_as_well_as_before_them() -> None:
    found = told({2: 4.0}, {2: -0.5})
    assert found.places[0, 2] == pytest.approx(-0.5)
    assert found.places[0, 3] == pytest.approx(-0.5 - math.log1p(math.exp(-4.0)), abs=1e-4)
    # The line behind it hardly goes, so that behind that one is as unlikely.
    assert found.places[0, 4] == pytest.approx(found.places[0, 3] - math.log1p(math.exp(5.0)), abs=1e-4)
    assert found.places[0, 0] == LEAST_CHANCE


def test_odds_are_bounded_and_lines_that_nobody_looked_at_stay() -> None:
    outcomes = Outcomes(
        np.array([90.0], np.float32),
        np.array([-90.0], np.float32),
        np.full((2, 3), -50.0, np.float32),
        np.zeros((2, 1), np.float32),
    )
    found = guide_of(ROWS, outcomes, 0, np.array([1], np.int32), 3, range(4))
    assert found.gone.tolist() == [UNSEEN_ODDS, MAX_ODDS, UNSEEN_ODDS]
    assert found.begins.min() == -MAX_ODDS
    assert found.fates.min() == LEAST_CHANCE


def test_the_rows_of_a_later_snippet() -> None:
    fates = np.log(np.array([[0.2, 0.6, 0.2], [0.9, 0.05, 0.05], [0.5, 0.3, 0.2]], np.float32))
    outcomes = Outcomes(*(np.zeros(2, np.float32) for _ in range(2)), fates, np.zeros((3, 2), np.float32))
    found = guide_of(ROWS, outcomes, 1, np.arange(2, dtype=np.int32), 1, range(2))
    assert np.exp(found.fates[:, 0]).tolist() == pytest.approx([0.9, 0.5])


def test_lines_that_an_earlier_snippet_wrote() -> None:
    found, moved = (told({0: 3.0, 1: -1.0}, {1: -1.0}, numbers) for numbers in (range(6), [0, None, 1, 4, 5]))
    assert moved.gone.tolist() == [3.0, WRITTEN_ODDS, -1.0, -5.0]
    # Before the written line is before what follows it.
    assert moved.places[0].tolist() == found.places[0, [0, 1, 1, 4, 5]].tolist()


ORIGINAL = "def f(x):\n    check(x)\n    warn(x)\n    return x\n"
SHOWN = "def f(x):\n    check(x)\n    return x\n"


# With these a line that isn't shown stays.
STAYING = {"deleted": -1.0, "delete_after_quote": 0.0, "delete_to_quote": 0.0, "jump": -0.5}


def of_grid(grid: Grid, gone: float) -> SearchGuide:
    """A forecast that is sure of the third line, and of nothing else."""
    n, m = grid.num_lines, grid.num_rows
    odds = np.full(n, -4.0, np.float32)
    odds[2] = gone
    fates = np.log(np.tile(np.array([0.1, 0.8, 0.1], np.float32), (m, 1)))
    begins, places = (np.full(size, -4.0, np.float32) for size in ((n + 1,), (m, n + 1)))
    return SearchGuide(tuple(row.text for row in grid.rows), odds, begins, fates, places)


def test_a_plan_that_the_forecast_agrees_with() -> None:
    grid = grid_of(ORIGINAL, SHOWN)
    plan = plan_of(next(Search(grid, WEIGHTS).best(1)), grid)
    assert plan is not None
    assert plan.deleted == {2}
    sure = of_grid(grid, 2.0)
    assert sure.agrees(grid, plan)
    assert not of_grid(grid, -2.0).agrees(grid, plan)
    assert not replace(sure, fates=np.roll(sure.fates, 1, axis=1)).agrees(grid, plan)


def test_new_rows_stand_where_the_forecast_has_them_too() -> None:
    grid = grid_of(ORIGINAL, "    check(x)\n    log(x)\n    warn(x)\n")
    plan = next(plan for path in Search(grid, WEIGHTS).best(1) if (plan := plan_of(path, grid)) is not None)
    assert plan.new == {2: [1]}
    found = of_grid(grid, -6.0)
    found.fates[1] = np.log([0.9, 0.05, 0.05])
    assert found.agrees(grid, plan)
    found.places[:, 3] = -0.1
    assert not found.agrees(grid, plan)


def test_a_search_follows_the_forecast_that_leads_it() -> None:
    grid = grid_of(ORIGINAL, SHOWN)

    def goes(forecast: SearchGuide | None) -> bool:
        plan = plan_of(next(Search(grid, WEIGHTS | STAYING, guide=forecast).best(1)), grid)
        assert plan is not None
        return 2 in plan.deleted

    assert [goes(forecast) for forecast in (of_grid(grid, 6.0), of_grid(grid, -6.0))] == [True, False]


@pytest.mark.parametrize(("odds", "is_found"), [(6.0, True), (-6.0, False)])
def test_readings_that_only_the_forecast_speaks_for(
    monkeypatch: pytest.MonkeyPatch, odds: float, is_found: bool
) -> None:
    """Everything goes that a marker stands for, where the forecast is sure of it."""
    original = ["def f(x):", "    check(x)", "    warn(x)", "    return x", "", "", "END = 1"]
    shown = ("def f(x):", "    # ... existing code ...", "    return x + 1")

    def outcomes(tokens: Tokens) -> Outcomes:
        num_rows, num_lines = len(tokens.row_keys), len(tokens.numbers)
        gone = np.full(num_lines, -4.0, np.float32)
        gone[1:3] = odds
        new = np.full(num_lines, -4.0, np.float32)
        fates, places = np.full((num_rows, 3), -1.1, np.float32), np.full((num_rows, num_lines), -2.0, np.float32)
        return Outcomes(gone, new, fates, places)

    monkeypatch.setattr(network, "forecast_network", lambda _: SimpleNamespace(outcomes=outcomes))
    text = "\n".join(original)
    message = "\n".join(["```python", *shown, "```"])
    found = readings_of(original, [Snippet(shown)], "python", message, outline(text, "python"))
    assert (("def f(x):", "    return x + 1", *original[4:]) in [one.lines for one in found]) == is_found
