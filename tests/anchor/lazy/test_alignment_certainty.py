"""Certainty: a share, whatever the readings are like, that rises with the odds; how likely each change is right."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.anchor.lazy import certainty
from fastedit.anchor.lazy.certainty import (
    CHANGE_FACTORS,
    FACTORS,
    FORECAST_FACTORS,
    Network,
    certainty_of,
    change_factors,
    factors_of,
    network,
)
from fastedit.anchor.lazy.changes import CHANGE_FACTS, facts_of_changes
from fastedit.anchor.lazy.forecast import tokens
from fastedit.anchor.lazy.reading import Reading, probabilities
from fastedit.anchor.lazy.readings import readings_of
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from fastedit.training.alignment.certainty import OF_CHANGES, are_right
from fastedit.training.alignment.network import fit_network
from support.aligning import WEIGHTS, lines_of
from support.examples import examples

NONE = np.zeros(0)  # chances of changes
FAR = 20.0  # farther than any odds
ORIGINAL = "def load(path):\n    return open(path)\n\n\ndef save(path):\n    return path\n"


def found_for(edit: str, original: str = ORIGINAL) -> list[Reading]:
    shown = [Snippet(tuple(lines_of(edit)))]
    return readings_of(lines_of(original), shown, "python", "", outline(original, "python"), known_weights=WEIGHTS)


def factor(name: str, readings: list[Reading]) -> float:
    return float(factors_of(readings, NONE)[FACTORS.index(name)])


@pytest.fixture
def curve(monkeypatch: pytest.MonkeyPatch):
    """Sets the network to the odds of the best reading alone, with a table from odds to shares."""

    inner = np.array([[FAR * (name == "odds")] for name in FACTORS])
    of_odds = Network(np.zeros(len(FACTORS)), np.full(len(FACTORS), FAR), inner, np.array([FAR]), np.ones(1), -FAR)

    def stored(path: Path, names: tuple[str, ...]) -> Network:
        return of_odds if names is FACTORS else network(path, names)

    def set_to(odds: list[float], shares: list[float]) -> None:
        monkeypatch.setattr(certainty, "network", stored)
        monkeypatch.setattr(certainty, "_calibration", lambda: (np.array(odds), np.array(shares)))

    return set_to


def test_the_stored_table_rises_and_holds_shares() -> None:
    table = json.loads(certainty._CALIBRATION_FILE.read_text(encoding="utf-8"))["calibration"]
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
        odds = float(np.nan_to_num(factors_of(readings, NONE)) @ weights)
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


LOADING = """\
import os


def load(path):
    with open(path) as file:
        rows = file.readlines()
    log(rows)
    check(rows)
    return rows


def save(path, rows):
    os.remove(path)
    write(path, rows)
"""


def likeliest(edit: str, prose: str = "") -> Reading:
    shown = [Snippet(tuple(edit.split("\n")), prose=prose)]
    lines = LOADING.split("\n")
    return readings_of(lines, shown, "python", prose, outline(LOADING, "python"))[0]


def facts(edit: str, prose: str = "") -> list[dict[str, float]]:
    """The facts of each change of the likeliest reading that aren't 0."""
    reading = likeliest(edit, prose)
    found = facts_of_changes(reading, reading.changes(LOADING.split("\n")), 3)
    return [{name: value for name, value in zip(CHANGE_FACTS, row.tolist(), strict=True) if value} for row in found]


def test_a_new_line_between_the_ones_that_the_file_has_there() -> None:
    (found,) = facts("        rows = file.readlines()\n    rows.sort()\n    log(rows)")
    assert found["insert"] == found["single"] == found["found"] == 1
    assert found["above_same"] == found["below_same"] == found["above_column"] == 1
    assert found["from_Q"] == found["to_Q"] == 1
    assert not found.keys() & {"above_askew", "below_askew", "above_apart", "below_apart", "delete", "alike"}


def test_a_new_line_with_a_marker_below() -> None:
    found = facts("    log(rows)\n    rows.sort()\n    # ... existing code ...")[-1]
    assert found["above_same"] == found["below_marker"] == 1


def test_a_line_for_another_one() -> None:
    (found,) = facts("    with open(path) as file:\n        rows = list(file)\n    log(rows)")
    assert found["replace"] == found["same_identity"] == 1
    assert 0.4 < found["alike"] < 1
    assert found["alike"] == pytest.approx(found["alike_first"])


def test_what_only_goes() -> None:
    (found,) = facts("    log(rows)\n    return rows", "The check goes.")
    assert found["delete"] == found["gap_shown"] == 1
    assert "gap_unshown" not in found


def test_another_indentation_than_the_snippet_shows() -> None:
    reading = likeliest("        rows = file.readlines()\n        rows.sort()\n    log(rows)")
    ((start, end, _),) = reading.changes(LOADING.split("\n"))
    askew = facts_of_changes(reading, [(start, end, ["    rows.sort()"])], 1)[0]
    even = facts_of_changes(reading, [(start, end, ["        rows.sort()"])], 1)[0]
    at = CHANGE_FACTS.index("above_askew")
    assert (askew[at], even[at]) == (1, 0)


def test_no_changes_have_no_facts() -> None:
    assert facts_of_changes(likeliest("    log(rows)"), [], 1).shape == (0, len(CHANGE_FACTS))


def test_the_weakest_change_counts_most() -> None:
    def told(*chances: float) -> dict[str, float]:
        return dict(zip(CHANGE_FACTORS, change_factors(np.array(chances)), strict=True))

    assert told(0.9, 0.2, 0.8)["least"] == pytest.approx(0.2)
    assert told(0.9, 0.2, 0.8)["all"] == pytest.approx(np.log(0.9 * 0.2 * 0.8))
    assert told()["all"] == 0
    assert np.isfinite(list(told(0.0, 1.0).values())).all()


def test_changes_are_right_where_nothing_differs() -> None:
    before = ["a", "b", "c", "d", "e", "f"]
    changes = [(1, 2, ["B"]), (4, 5, [])]
    result = ["a", "B", "c", "d", "f"]
    assert are_right(result, changes, result).tolist() == [True, True]
    assert are_right(result, changes, ["a", "B", "c", "d", "e", "f"]).tolist() == [True, False]
    assert are_right(result, changes, ["a", "b", "c", "d", "f"]).tolist() == [False, True]
    assert are_right(before, [], result).tolist() == []


def test_a_network_learns_what_tells_right_changes_from_wrong_ones(tmp_path) -> None:
    chance = np.random.default_rng(1)
    given = chance.normal(size=(3000, len(CHANGE_FACTS)))
    is_right = (given[:, 0] > 0) != (given[:, 1] > 0)  # which no sum of the two tells
    fitted = fit_network(given, is_right, np.ones(len(given)), 3, OF_CHANGES)
    told = fitted.chances(given)
    assert ((told > 0.5) == is_right).mean() > 0.8
    assert ((fitted.odds(given) > 0) == (told > 0.5)).all()
    path = tmp_path / "changes.npz"
    fitted.save(path, CHANGE_FACTS)
    assert np.allclose(network(path, CHANGE_FACTS).chances(given), told, atol=1e-3)


def test_facts_that_a_stored_network_does_not_know_count_nothing(tmp_path) -> None:
    size = len(CHANGE_FACTS)
    stored = Network(np.zeros(size), np.ones(size), np.ones((size, 1)), np.zeros(1), np.ones(1), 0.0)
    path = tmp_path / "changes.npz"
    stored.save(path, CHANGE_FACTS)
    more = np.ones((1, size + 1))
    assert network(path, ("zebra", *CHANGE_FACTS)).chances(more) == pytest.approx(stored.chances(np.ones((1, size))))


def test_without_both_kinds_a_network_knows_nothing() -> None:
    given = np.ones((3, len(CHANGE_FACTS)))
    fitted = fit_network(given, np.ones(3, bool), np.ones(3), 0, OF_CHANGES)
    assert fitted.chances(given).tolist() == [0.5] * 3


def test_facts_that_are_not_known_count_as_the_mean() -> None:
    chance = np.random.default_rng(3)
    given = chance.normal(size=(300, 3)) + np.array([0.0, 5.0, 0.0])
    right = given[:, 1] > 5
    given[::4, 2] = np.nan
    fitted = fit_network(given, right, np.ones(len(given)), 0, OF_CHANGES)
    assert ((fitted.odds(given) > 0) == right).mean() > 0.9
    unknown, mean = np.array([[0.0, np.nan, 0.0]]), np.array([[0.0, fitted.mean[1], 0.0]])
    assert fitted.odds(unknown) == pytest.approx(fitted.odds(mean))


def test_without_a_forecast_nothing_is_told_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message of more rows than the forecast reads would otherwise seem to agree with it in everything."""
    original = lines_of("def first():\n    return 1\n\n\ndef second():\n    return 2\n")
    shown = Snippet(("def second():", "    return 3"))
    found = outline("\n".join(original), "python")
    at = [number for number, name in enumerate(FACTORS) if name in FORECAST_FACTORS]
    with_it = factors_of(readings_of(original, [shown], "python", "", found), np.zeros(0))
    assert np.isfinite(with_it).all()
    assert with_it[at].any()
    monkeypatch.setattr(tokens, "MAX_ROWS", 1)
    without = factors_of(readings_of(original, [shown], "python", "", found), np.zeros(0))
    assert np.isnan(without[at]).all()
    assert np.isfinite(np.delete(without, at)).all()
