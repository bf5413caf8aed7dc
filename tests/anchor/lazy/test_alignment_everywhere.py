"""Changes meant for every place."""

from __future__ import annotations

import pytest

from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.anchor.lazy.message import Repetition, Words, declared_in, repetitions, says_everywhere
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


def made(change: Change, words: str = "", original: str = ORIGINAL) -> list[Repetition]:
    declared = declared_in(outline(original, "python"))
    return repetitions([change], Lines(lines_of(original)), [Words(words)], declared)


def test_a_change_is_made_where_the_same_line_stands() -> None:
    [one] = made((1, 2, [NEW]))
    assert one.changes == [(1, 2, [NEW]), (7, 8, ["    " + NEW])]
    assert not any(one.values.values())


def test_other_lines_short_ones_and_insertions_are_left() -> None:
    assert made((2, 3, ["    return month"])) == []
    assert made((3, 4, ["# more"])) == []
    assert made((1, 1, [NEW])) == []


def test_the_number_of_places_counts() -> None:
    assert made((1, 2, [NEW]), "In both functions:")[0].values["count"] == 1
    assert made((1, 2, [NEW]), "In all three functions:")[0].values["count"] == 0


def test_named_declarations_count() -> None:
    assert made((1, 2, [NEW]), "In `first` and `last`:")[0].values["named"] == 1
    third = ORIGINAL + "\n\ndef third(day):\n    month = calendar.weeks(day)\n    return month\n"
    everywhere, inside = made((1, 2, [NEW]), "In `first` and `last`:", third)
    assert (everywhere.values["named"], everywhere.values["unnamed"]) == (0.5, 0.5)
    assert [start for start, _, _ in inside.changes] == [1, 7]


def test_a_declaration_with_the_change_itself_is_not_meant_as_another_place() -> None:
    original = ORIGINAL.replace("    if day:\n", "    month = calendar.weeks(day)\n    if day:\n")
    declared = declared_in(outline(original, "python"))
    changes = [(2, 3, ["    return month[0] + 1"]), (6, 7, [NEW])]
    told = [Words("In `last`:")]
    [everywhere] = repetitions(changes, Lines(lines_of(original)), told, declared)
    assert [start for start, _, _ in everywhere.changes] == [1, 2, 6, 8]
    assert everywhere.values["named"] == 0


def test_in_a_named_declaration_the_line_that_is_most_alike_counts() -> None:
    original = ORIGINAL.replace("        month = calendar.weeks(day)", "        month = calendar.weeks(day, 1)")
    [one] = made((1, 2, [NEW]), "In `first` and `last`:", original)
    assert one.changes == [(1, 2, [NEW]), (7, 8, ["    " + NEW])]
    assert one.values["like"] == 1
    assert made((1, 2, [NEW]), "In both:", original) == []


def test_only_the_lines_of_a_snippet_whose_words_say_so() -> None:
    original = "\n".join([ORIGINAL, ORIGINAL.replace("first", "second").replace("last", "least")])
    changes = [(1, 2, [NEW]), (2, 3, ["    return month[0] + 1"])]
    told = [Words(""), Words("In all three:", frozenset({"".join(NEW.split())}))]
    found = repetitions(changes, Lines(lines_of(original)), told, {})
    assert [(one.values["part"], len(one.changes)) for one in found] == [(0, 6), (1, 5)]
    assert found[1].values["said"] == 1


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
