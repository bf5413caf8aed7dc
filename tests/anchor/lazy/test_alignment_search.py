"""The search: the best paths in their order, each worth what its features say."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.anchor.lazy.features import FEATURES
from fastedit.anchor.lazy.search.grid import Context, Grid
from fastedit.anchor.lazy.search.paths import LEFT_OUT, Path, plan_of
from fastedit.anchor.lazy.search.search import BARE_LINES, JUMPING, Search
from support.aligning import WEIGHTS, grid_of
from support.examples import examples

LINES = st.sampled_from(
    [
        "class A:",
        "    def f(self):",
        "        return 1",
        "        call(",
        "            x,",
        "        )",
        "    def g(self):",
        "        return 2",
        "x = 1",
        "y = 2  # two",
        "",
        "",
        "}",
        "# a comment",
        "    # ... existing code ...",
        "...",
        "# removed: g",
        "    def f(self): ...",
        "call(x, ...)",
    ]
)
TEXTS = st.lists(LINES, max_size=9)


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    """A small file, and a snippet that may quote it."""
    original = draw(TEXTS)
    edit = draw(st.one_of(TEXTS, st.lists(st.sampled_from(original), max_size=9) if original else TEXTS))
    return grid_of("\n".join(original), "\n".join(edit))


def random_weights(seed: int) -> dict[str, float]:
    chance = random.Random(seed)
    return {name: chance.uniform(-2, 2) for name in FEATURES}


SEEDS = st.integers(0, 10_000)


@examples(80)
@given(grids(), SEEDS)
def test_a_path_is_worth_its_features_times_their_weights(grid: Grid, seed: int) -> None:
    search = Search(grid, random_weights(seed))
    for path in search.best(12, beam=30):
        assert float(search.features(path) @ search.weights) == pytest.approx(path.score, abs=1e-2)


@examples(50)
@given(grids(), SEEDS)
def test_paths_come_in_their_order_and_none_twice(grid: Grid, seed: int) -> None:
    paths = list(Search(grid, random_weights(seed)).best(20, beam=6))
    scores = [path.score for path in paths]
    assert all(one >= other - 1e-3 for one, other in itertools.pairwise(scores))
    assert all(score >= scores[0] - 6 - 1e-3 for score in scores)
    assert len({path.steps for path in paths}) == len(paths)


@examples(80)
@given(grids(), SEEDS)
def test_each_row_is_placed_or_left_out_once_and_no_path_goes_back(grid: Grid, seed: int) -> None:
    for path in Search(grid, random_weights(seed)).best(12, beam=30):
        check(path, grid)


def check(path: Path, grid: Grid) -> None:
    used = [step.target.row for step in path.steps if step.target.row > step.source.row]
    assert used == list(range(1, grid.num_rows + 1))
    assert path.steps[0].source.state == "T"
    assert path.steps[-1].target.state == "END"
    assert all(one.target == other.source for one, other in zip(path.steps, path.steps[1:], strict=False))
    for source, target, pair in path.steps:
        if target.state in ("END", "B") or source.state == "B":
            continue
        assert target.at >= source.at
        assert 0 <= target.at <= grid.num_lines
        if pair == LEFT_OUT:
            assert (source.state, source.at) == (target.state, target.at)
        elif target.state in "NM":
            assert target.at == source.at
        elif target.state == "Q":
            pairs = grid.pairs[target.row - 1]
            assert pairs.lines[pair] == source.at
            assert pairs.lines[pair] + pairs.spans[pair] == target.at
        elif target.state in "DJ":
            assert target.at > source.at


@examples(60)
@given(grids(), SEEDS)
def test_the_first_path_is_the_best_of_many(grid: Grid, seed: int) -> None:
    """No path that is found later scores more, when its features are added up anew."""
    search = Search(grid, random_weights(seed))
    paths = list(search.best(40, beam=50))
    if paths:
        best = float(search.features(paths[0]) @ search.weights)
        assert all(float(search.features(path) @ search.weights) <= best + 1e-2 for path in paths)


# ---- plain weights ---------------------------------------------------------------------------------------------------

FILE = """\
import os

class Store:
    def load(self):
        return 1

    def save(self):
        return 2
"""


def told(original: str, edit: str) -> str:
    """The best path, step by step, with the position or line of each."""
    grid = grid_of(original, edit)
    (path,) = Search(grid, WEIGHTS).best(1)
    words = []
    for _, target, pair in path.steps[:-1]:
        state = "x" if pair == LEFT_OUT else target.state
        at = int(grid.pairs[target.row - 1].lines[pair]) if state == "Q" else target.at
        words.append(f"{state}{at}" if state not in ("B", "x") else state)
    return " ".join(words)


@pytest.mark.parametrize(
    ("edit", "path"),
    [
        ("import os", "Q0"),
        ("    def load(self):\n        return 3", "Q3 Q4"),
        ("import os\nimport re", "Q0 N1"),
        ("class Store:\n    # ... existing code ...\n    def save(self):\n        return 3", "Q2 M3 S6 Q6 Q7"),
        ("class Store:\n    def save(self):\n        return 2", "Q2 J6 Q6 Q7"),
        ("    def load(self):\n        return 1\n# ... rest unchanged ...", "Q3 Q4 M5"),
    ],
)
def test_the_way_through_a_plain_edit(edit: str, path: str) -> None:
    assert told(FILE, edit) == path


def test_another_weight_takes_another_way() -> None:
    grid = grid_of(FILE, "class Store:\n    def save(self):\n        return 2")

    def states(weights: dict[str, float]) -> list[str]:
        (path,) = Search(grid, weights).best(1)
        return [step.target.state for step in path.steps]

    assert "J" in states(WEIGHTS)
    assert "D" in states({**WEIGHTS, "jump": -20.0, "deleted": -0.1, "identity_other": -9.0})
    assert "N" in states({**WEIGHTS, "jump": -20.0, "deleted": -20.0, "like": -9.0, "new_known": 0.0, "new": 5.0})


def test_a_beam_leaves_out_what_is_far_behind() -> None:
    grid = grid_of(FILE, "    def load(self):\n        return 3")
    search = Search(grid, WEIGHTS)
    narrow, wide = list(search.best(40, beam=1.0)), list(search.best(40, beam=12.0))
    assert len(narrow) < len(wide)
    assert narrow == wide[: len(narrow)]
    assert len(list(search.best(3, beam=12.0))) == 3


def test_an_empty_file_takes_everything_as_new() -> None:
    grid = grid_of("", "x = 1\ny = 2")
    (path,) = Search(grid, WEIGHTS).best(1)
    assert [step.target.state for step in path.steps] == ["N", "N", "END"]


def test_all_rows_may_be_new_where_the_words_say_so() -> None:
    original = "def load(path):\n    return path\n\n\ndef size(path):\n    return path\n"
    edit = "# new here\ndef save(path):\n    return path"
    grid = grid_of(original, edit, context=Context(prose="Put this behind `load`:"))
    search = Search(grid, WEIGHTS)
    path = next(search.apart())
    assert path.score == pytest.approx(float(search.features(path) @ search.weights))
    plan = plan_of(path, grid)
    assert plan is not None
    assert not plan.quoted
    assert [(at in (2, 3, 4), [row for row in rows if row]) for at, rows in plan.new.items()] == [(True, [1, 2])]
    assert not list(Search(grid_of(original, edit), WEIGHTS).apart())


def test_all_rows_may_be_new_beside_what_others_replace() -> None:
    original = "def load(path):\n    return path\n\n\ndef size(path):\n    return path\n"
    grid = grid_of(original, "def save(path):\n    return 1")
    for path, at in zip(Search(grid, WEIGHTS).apart([4, 0]), (4, 0), strict=True):
        plan = plan_of(path, grid)
        assert plan is not None
        assert plan.new == {at: [0, 1]}


@examples(60)
@given(grids(), st.integers(0, 10_000), st.sampled_from((0.5, 2.0)))
def test_a_search_in_which_lines_stay_pays_for_what_goes(grid: Grid, seed: int, stays: float) -> None:
    search = Search(grid, random_weights(seed), stays=stays)
    for path in search.best(12, beam=30):
        paid = path.score - float(search.features(path) @ search.weights)
        assert paid == pytest.approx(expected_price(path, grid, stays), abs=1e-2)


def expected_price(path: Path, grid: Grid, stays: float) -> float:
    price = 0.0
    for source, target, pair in path.steps:
        if target.state == "D":
            price -= stays * sum(bool(key) for key in grid.original.keys[source.at : target.at])
        elif source.state == "D" and target.state == "Q" and pair >= 0:
            price -= stays * BARE_LINES
        elif source.state == "J" and target.state in "QN":
            price += JUMPING
    return price


@given(grids(), st.integers(0, 3))
def test_lines_that_go_above_the_first_row_are_worth_what_their_features_say(grid: Grid, seed: int) -> None:
    search = Search(grid, random_weights(seed), may_begin_deleting=True)
    for path in search.best(12, beam=30):
        assert path.score == pytest.approx(float(search.features(path) @ search.weights), abs=1e-2)


def test_lines_may_go_above_the_first_row_where_that_is_asked_for() -> None:
    grid = grid_of("old()\nx = 1", "import fresh\nx = 1")

    def gone(*, is_asked: bool) -> list[set[int]]:
        paths = Search(grid, WEIGHTS, may_begin_deleting=is_asked).best(400, beam=60)
        plans = [plan for path in paths if (plan := plan_of(path, grid)) is not None and 0 in plan.new]
        return [set(plan.deleted) for plan in plans]

    assert {0} in gone(is_asked=True)
    assert {0} not in gone(is_asked=False)


def test_a_run_may_begin_at_several_alike_places() -> None:
    original = "\n".join(["def load():", *("    check()\n    step()" for _ in range(5)), "    return 1"])
    grid = grid_of(original, "    check()\n    # ... existing code ...\n    return 1")
    plain = [path for path in Search(grid, WEIGHTS).best(150, beam=60) if states_of(path) == "QMSQEND"]
    assert {path.steps[0].source.at for path in plain} == {1, 3, 5, 7, 9}


def states_of(path: Path) -> str:
    return "".join(step.target.state for step in path.steps)
