"""What the words before a snippet announce, and what that weighs."""

from __future__ import annotations

import pytest

from fastedit.anchor.lazy.features import (
    DELETED_LINE,
    IDENTITY_OTHER,
    LIKE,
    NEW_SAID_ADDS,
    SAID_ADDS,
    SAID_ADDS_OTHER,
    SAID_PLACED,
)
from fastedit.anchor.lazy.grid import Context
from fastedit.anchor.lazy.places import Intent, asks_blanks, intent_of
from fastedit.anchor.lazy.reading import NAMES, Reading
from fastedit.anchor.lazy.readings import readings_of
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import WEIGHTS, grid_of, lines_of

MODEL = """\
class Model:
    def has_many(self, name):
        return self.add("many", name)

    def has_one(self, name):
        return self.add("one", name)
"""
NEW = """\
    def references_many(self, name):
        return self.add("references", name)
"""


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("The rest is fine.\n\nThen add the method, following `has_many`:", Intent(1, 0, 1)),
        ("`has_many` becomes", Intent(0, 1, 0)),
        ("Füge danach die Methode hinzu:", Intent(1, 0, 0)),
        ("Y después de `has_many`:", Intent(0, 0, 1)),
        ("`add` is used everywhere. In `load`:", Intent()),
        ("", Intent()),
    ],
)
def test_the_last_sentence_tells_the_intent(prose: str, expected: Intent) -> None:
    assert intent_of(prose) == expected


@pytest.mark.parametrize(
    ("prose", "asks"),
    [
        ("at the end, after a blank line:", True),
        ("am Ende, nach einer Leerzeile:", True),
        ("with no blank line between them:", False),
        ("remove the blank line above it:", False),
        ("in `blank_line`:", False),
    ],
)
def test_blank_lines_that_words_ask_for(prose: str, asks: bool) -> None:
    assert asks_blanks(prose) == asks


def readings(original: str, snippet: str, prose: str, weights: dict[str, float]) -> list[Reading]:
    shown = [Snippet(tuple(lines_of(snippet)), prose=prose)]
    found = outline(original, "python")
    return readings_of(lines_of(original), shown, "python", prose, found, known_weights=WEIGHTS | weights)


def test_an_announced_addition_is_a_fact_of_each_change_and_each_new_row() -> None:
    grid = grid_of(MODEL, NEW, context=Context(prose="Then add this method:"))
    header = grid.pairs[0]
    changes = header.features[header.features[:, LIKE] == 1]
    assert len(changes) > 1
    assert changes[:, SAID_ADDS].all()
    assert not changes[:, SAID_PLACED].any()
    assert (changes[:, SAID_ADDS_OTHER] == changes[:, IDENTITY_OTHER]).all()
    assert grid.new.row(0)[NEW_SAID_ADDS] == 1
    assert grid.deleted_lines[-1][DELETED_LINE.index("deleted_said_adds")] == 5
    silent = grid_of(MODEL, NEW)
    assert not silent.pairs[0].features[:, SAID_ADDS].any()


def test_a_blank_line_that_is_asked_for_is_one_of_the_readings() -> None:
    original = "import os\nrun(os)\n"
    weights = {"blanks_told": 5.0, "near_at_told": 4.0, "far_at_told": 4.0}
    asked = readings(original, "stop(os)", "At the end, after a blank line:", weights)[0]
    assert asked.lines == ("import os", "run(os)", "", "stop(os)")
    assert asked.features()[NAMES.index("blanks_told")] == 1
    plain = readings(original, "stop(os)", "At the end:", weights)[0]
    assert plain.lines == ("import os", "run(os)", "stop(os)")
