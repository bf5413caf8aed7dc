"""Detours: the ways to leave the best path once, judged by what they come to, and taken together."""

from __future__ import annotations

import pytest

from fastedit.anchor.lazy.detours import detour_of, take_detours
from fastedit.anchor.lazy.paths import Path
from fastedit.anchor.lazy.search import Search
from support.aligning import WEIGHTS, grid_of

NUM_DOUBTS = 7
ORIGINAL = "\n".join(f"def f{number}():\n    a = {number}\n    b = {number}\n" for number in range(NUM_DOUBTS))
EDIT = "\n".join(f"def f{number}(x):\n    b = {number}\n" for number in range(NUM_DOUBTS))
COUNT, BEAM = 200, 14.0


@pytest.fixture
def search() -> Search:
    return Search(grid_of(ORIGINAL, EDIT), WEIGHTS)


def test_the_paths_aside_are_the_best_one_and_such_that_leave_it_once(search: Search) -> None:
    base, *others = search.aside(COUNT, beam=BEAM)
    assert base.steps == next(search.best(1)).steps
    assert others
    for path in others:
        assert float(search.features(path) @ search.weights) == pytest.approx(path.score, abs=1e-2)
        detour = detour_of(base.steps, path.steps, 0.0)
        nodes = {step.source for step in base.steps[detour.start + 1 : detour.end]}
        assert not nodes & {step.source for step in detour.steps[1:]}
    assert [path.score for path in others] == sorted((path.score for path in others), reverse=True)


def test_detours_that_each_make_a_result_better_are_taken_together(search: Search) -> None:
    base, *others = search.aside(COUNT, beam=BEAM)
    wanted: list[Path] = []
    for path in others:
        taken = [detour_of(base.steps, one.steps, 0.0) for one in wanted]
        if not any(detour_of(base.steps, path.steps, 0.0).crosses(one) for one in taken):
            wanted.append(path)
    signs = [(set(path.steps) - set(base.steps)) for path in wanted[:4]]
    assert len(signs) == 4
    judged: list[Path] = []

    def judge(path: Path) -> float:
        judged.append(path)
        return path.score + sum(20.0 for sign in signs if sign <= set(path.steps))

    take_detours(search, judge, COUNT, BEAM)
    assert any(all(sign <= set(path.steps) for sign in signs) for path in judged)
    for path in judged:
        assert float(search.features(path) @ search.weights) == pytest.approx(path.score, abs=1e-2)
    assert not any(all(sign <= set(path.steps) for sign in signs) for path in search.best(20, beam=BEAM))
