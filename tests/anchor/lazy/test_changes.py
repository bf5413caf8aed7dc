"""How likely each change of a reading is right, by itself."""

from __future__ import annotations

import numpy as np
import pytest

from fastedit.anchor.lazy.certainty import (
    CHANGE_FACTORS,
    CHANGE_FACTS,
    ChangeNetwork,
    change_factors,
    change_network,
    facts_of_changes,
)
from fastedit.anchor.lazy.reading import Reading
from fastedit.anchor.lazy.readings import readings_of
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from fastedit.training.alignment.changes import are_right, fit_network

ORIGINAL = """\
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
    lines = ORIGINAL.split("\n")
    return readings_of(lines, shown, "python", prose, outline(ORIGINAL, "python"))[0]


def facts(edit: str, prose: str = "") -> list[dict[str, float]]:
    """The facts of each change of the likeliest reading that aren't 0."""
    reading = likeliest(edit, prose)
    found = facts_of_changes(reading, reading.changes(ORIGINAL.split("\n")), 3)
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
    ((start, end, _),) = reading.changes(ORIGINAL.split("\n"))
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
    network = fit_network(given, is_right, np.ones(len(given)), 3)
    told = network.chances(given)
    assert ((told > 0.5) == is_right).mean() > 0.8
    path = tmp_path / "changes.npz"
    network.save(path)
    assert np.allclose(change_network(path).chances(given), told, atol=1e-3)


def test_facts_that_a_stored_network_does_not_know_count_nothing(tmp_path, monkeypatch) -> None:
    size = len(CHANGE_FACTS)
    network = ChangeNetwork(np.zeros(size), np.ones(size), np.ones((size, 1)), np.zeros(1), np.ones(1), 0.0)
    path = tmp_path / "changes.npz"
    network.save(path)
    monkeypatch.setattr("fastedit.anchor.lazy.certainty.CHANGE_FACTS", ("zebra", *CHANGE_FACTS))
    more = np.ones((1, size + 1))
    assert change_network(path).chances(more) == pytest.approx(network.chances(np.ones((1, size))))


def test_without_both_kinds_of_changes_a_network_knows_nothing() -> None:
    given = np.ones((3, len(CHANGE_FACTS)))
    assert fit_network(given, np.ones(3, bool), np.ones(3), 0).chances(given).tolist() == [0.5] * 3
