"""Changes meant for every place."""

from __future__ import annotations

import pytest

from fastedit.anchor.lazy.everywhere import repeated, says_everywhere
from fastedit.anchor.lazy.reading import NAMES, Reading
from fastedit.anchor.lazy.readings import readings_of
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import WEIGHTS, lines_of

ORIGINAL = """\
def first(day):
    month = calendar.weeks(day)
    return month[0]


def last(day):
    if day:
        month = calendar.weeks(day)
    return month[-1]
"""
NEW = "    month = FIXED.weeks(day)"


@pytest.mark.parametrize("words", ["In both functions:", "each of them becomes", "En ambas", "在所有地方", "обе"])
def test_words_speak_of_several_places(words: str) -> None:
    assert says_everywhere(words)


@pytest.mark.parametrize("words", ["", "In `first`:", "Ändert den Monat."])
def test_words_speak_of_one_place(words: str) -> None:
    assert not says_everywhere(words)


def test_a_change_is_made_where_the_same_line_stands() -> None:
    changes = repeated([(1, 2, [NEW])], lines_of(ORIGINAL))
    assert changes == [(1, 2, [NEW]), (7, 8, ["    " + NEW])]


def test_other_lines_short_ones_and_insertions_are_left() -> None:
    lines = lines_of(ORIGINAL)
    assert repeated([(2, 3, ["    return month"])], lines) == []
    assert repeated([(3, 4, ["# more"])], lines) == []
    assert repeated([(1, 1, [NEW])], lines) == []


def read(weight: float) -> tuple[Reading, dict[str, float]]:
    words, found = "In both functions:", outline(ORIGINAL, "python")
    weights = {**WEIGHTS, "repeated_said": weight, "next_shift_same": 0.0}
    shown = [Snippet((NEW,), prose=words)]
    return readings_of(lines_of(ORIGINAL), shown, "python", words, found, known_weights=weights)[0], weights


def test_the_words_decide_by_their_weight() -> None:
    once, _ = read(-3.0)
    everywhere, weights = read(3.0)
    assert "\n".join(once.lines).count("FIXED") == 1
    assert "\n".join(everywhere.lines).count("FIXED") == 2
    told = dict(zip(NAMES, everywhere.features().tolist(), strict=True))
    assert told["repeated_said"] == 1
    score = sum(value * weights.get(name, 0.0) for name, value in told.items())
    assert everywhere.score == pytest.approx(score, abs=1e-3)
