"""How the other readings differ from the likeliest one."""

from __future__ import annotations

import pytest

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.reading import Reading
from fastedit.anchor.lazy.rivals import FAR_BEHIND, RIVALS, kind_of, rivals_of

FILE = ["def f():", "    a()", "    b()", "", "x = 1"]
ORIGINS: list[int | None] = [0, 1, 2, 3, 4]


def reading(lines: list[str], origins: list[int | None], score: float = 0.0) -> Reading:
    return Reading(tuple(lines), tuple(origins), score, original=Lines(FILE))


BEST = reading(["def f():", "    a()", "    new()", "", "x = 1"], [0, 1, None, 3, 4], 5.0)


@pytest.mark.parametrize(
    ("lines", "origins", "kind"),
    [
        (["def f():", "    a()", "    new()", "", "", "x = 1"], [0, 1, None, None, 3, 4], "blank"),
        (["def f():", "    a()", "new()", "", "x = 1"], [0, 1, None, 3, 4], "column"),
        (["def f():", "    a()", "    new()  # why", "", "x = 1"], [0, 1, None, 3, 4], "comment"),
        (["def f():", "    a()", "    # why", "    new()", "", "x = 1"], [0, 1, None, None, 3, 4], "comment"),
        (["def f():", "    new()", "    a()", "", "x = 1"], [0, None, 1, 3, 4], "order"),
        (["def f():", "    a()", "    b()", "    new()", "", "x = 1"], [0, 1, 2, None, 3, 4], "keeps"),
        (["def f():", "    a()", "    new()", "    more()", "", "x = 1"], [0, 1, None, None, 3, 4], "writes"),
        (["def f():", "    new()", "", "x = 1"], [0, None, 3, 4], "loses"),
        (["def f():", "    a()", "", "x = 1"], [0, 1, 3, 4], "omits"),
        (["def f():", "    a()", "    old()", "", "x = 1"], [0, 1, None, 3, 4], "other"),
    ],
)
def test_the_kind_of_a_difference(lines: list[str], origins: list[int | None], kind: str) -> None:
    assert kind_of(BEST, reading(lines, origins)) == kind


def test_the_best_of_each_kind_counts() -> None:
    keeps = ["def f():", "    a()", "    b()", "    new()", "", "x = 1"]
    others = [reading(keeps, [0, 1, 2, None, 3, 4], score) for score in (4.0, 2.0)]
    told = dict(zip(RIVALS, rivals_of([BEST, *others, reading(FILE, ORIGINS, -20.0)]), strict=True))
    assert told["keeps"] == 1
    assert set(told.values()) == {1, FAR_BEHIND}
    assert rivals_of([BEST]) == (FAR_BEHIND,) * len(RIVALS)
