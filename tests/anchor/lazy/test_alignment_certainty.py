"""Certainty: a share, whatever the readings are like, that rises with the odds."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.anchor.lazy import certainty
from fastedit.anchor.lazy.certainty import FACTORS, certainty_of, factors_of
from fastedit.anchor.lazy.reading import Reading, probabilities
from fastedit.anchor.lazy.readings import readings_of
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import WEIGHTS, lines_of
from support.examples import examples

NONE = np.zeros(0)  # chances of changes
ORIGINAL = "def load(path):\n    return open(path)\n\n\ndef save(path):\n    return path\n"


def found_for(edit: str, original: str = ORIGINAL) -> list[Reading]:
    shown = [Snippet(tuple(lines_of(edit)))]
    return readings_of(lines_of(original), shown, "python", "", outline(original, "python"), known_weights=WEIGHTS)


def factor(name: str, readings: list[Reading]) -> float:
    return float(factors_of(readings, NONE)[FACTORS.index(name)])


@pytest.fixture
def curve(monkeypatch: pytest.MonkeyPatch):
    """Sets the model to the odds of the best reading alone, with a table from odds to shares."""

    def set_to(odds: list[float], shares: list[float]) -> None:
        weights = np.array([float(name == "odds") for name in FACTORS])
        monkeypatch.setattr(certainty, "_fitted", lambda: (weights, np.array(odds), np.array(shares)))

    return set_to


def test_the_stored_table_rises_and_holds_shares() -> None:
    table = json.loads(certainty._CERTAINTY_FILE.read_text(encoding="utf-8"))["calibration"]
    odds, shares = zip(*table, strict=True)
    assert list(odds) == sorted(odds)
    assert list(shares) == sorted(shares)
    assert 0 <= shares[0] < shares[-1] <= 1


def test_each_factor_has_one_name() -> None:
    assert len(set(FACTORS)) == len(FACTORS) == len(factors_of(found_for("def load(path):"), NONE))


def test_the_table_is_read_between_its_lines(curve) -> None:
    curve([-2.0, 2.0], [0.1, 0.9])
    readings = found_for("    return None")
    odds = factor("odds", readings)
    assert -2 < odds < 2
    assert certainty_of(readings) == pytest.approx(0.1 + 0.8 * (odds + 2) / 4)


def test_what_lies_off_the_table_has_its_ends(curve) -> None:
    readings = found_for("    return None")
    curve([50.0, 60.0], [0.2, 0.9])
    assert certainty_of(readings) == pytest.approx(0.2)
    curve([-60.0, -50.0], [0.2, 0.9])
    assert certainty_of(readings) == pytest.approx(0.9)


@given(st.lists(st.floats(-8, 0), min_size=1, max_size=5), st.floats(0.1, 5))
def test_more_odds_are_never_less_certain(behind: list[float], more: float) -> None:
    """A best reading that is farther ahead of the others is at least as certain, where the odds alone count."""
    weights = np.array([float(name == "odds") for name in FACTORS])

    def share(ahead: float) -> float:
        scores = [ahead, *sorted(behind, reverse=True)]
        readings = probabilities([Reading((str(number),), (None,), score) for number, score in enumerate(scores)])
        odds = float(factors_of(readings, NONE) @ weights)
        return float(np.interp(odds, [-5, 0, 2, 5], [0.01, 0.5, 0.9, 0.99]))

    assert share(more) >= share(0.0) - 1e-9


TEXTS = st.lists(
    st.sampled_from(
        ["def load(path):", "    return open(path)", "    return 1", "", "# ...", "x = 1", "# removed: save"]
    ),
    min_size=1,
    max_size=6,
).map("\n".join)


@examples(40)
@given(TEXTS)
def test_certainty_is_a_share(edit: str) -> None:
    readings = found_for(edit)
    if readings:
        assert np.isfinite(factors_of(readings, NONE)).all()
        assert 0 <= certainty_of(readings) <= 1


def test_what_tells_how_certain_a_reading_is() -> None:
    quoted, unknown = found_for("def load(path):\n    return open(path)"), found_for("zebra(1)\ncrossing(2)")
    assert factor("share_same", quoted) > factor("share_same", unknown) == 0
    assert factor("no_anchor", unknown) == 1
    assert factor("no_anchor", quoted) == 0
    ambiguous = found_for("    return None")
    assert factor("rivals", ambiguous) > 0
    assert 0 <= factor("odds_near", ambiguous) <= 6


def test_a_rival_that_does_the_same_elsewhere_is_a_twin() -> None:
    original = "def area(width):\n    return round(width, 2)\n\n\ndef volume(depth):\n    return round(depth, 2)\n"
    twice = original.replace("width", "size").replace("depth", "size")
    told = []
    for text in (original, twice):
        shown = [Snippet(("# ... existing code ...", "    return round(size, 3)", "# ... existing code ..."))]
        found = readings_of(lines_of(text), shown, "python", "", outline(text, "python"))
        told.append(dict(zip(FACTORS, factors_of(found, NONE), strict=True)))
    assert [one["twin"] for one in told] == [0, 1]
    assert 0 < told[1]["twin_share"] <= 1
    assert told[1]["twin_new"] == 0
