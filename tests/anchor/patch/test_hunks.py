"""A hunk's outcome: changed, there already, or nowhere, and how certain."""

from __future__ import annotations

import pytest

from fastedit.anchor.patch.candidates import Finder, pieces_of
from fastedit.anchor.patch.hunks import HunkOutcome, is_applied, is_plainly_applied, locate_hunks, stands_beside
from fastedit.anchor.patch.locate import Level, LineIndex, Place
from fastedit.anchor.patch.scopes import Scopes
from fastedit.edits.model import Format, Op, PatchHunk, PatchLine
from fastedit.errors import Code

LINES = [
    "def moor(vessel):",  # 0
    "    check_all_papers(vessel)",
    "    berth = free_berth(vessel.length)",
    "    return berth",
    "",
    "def cast_off(vessel):",  # 5
    "    check_all_papers(vessel)",
    "    vessel.berth.leave()",
    "    return None",
]
OPS = {" ": Op.KEEP, "-": Op.DELETE, "+": Op.ADD, ".": Op.SKIP}


def hunk(*lines: str, **fields: object) -> PatchHunk:
    return PatchHunk(tuple(PatchLine(OPS[line[0]], line[1:]) for line in lines), **fields)  # type: ignore[arg-type]


def outcomes(*hunks: PatchHunk, lines: list[str] = LINES, format: Format = Format.SEARCH_REPLACE) -> list[HunkOutcome]:
    index = LineIndex(lines)
    return locate_hunks(index, Scopes(index, None), hunks, format)


def only(*lines: str, **fields: object) -> HunkOutcome:
    (outcome,) = outcomes(hunk(*lines, **fields))
    return outcome


def test_a_hunk_quoted_exactly_is_certain():
    outcome = only("-    berth = free_berth(vessel.length)", "+    berth = free_berth(vessel)")
    ((change,), problem) = outcome.changes, outcome.problem
    assert (change.start, change.end, change.certainty, problem) == (2, 3, 1.0, None)


def test_a_hunk_that_fits_twice_has_both_places_as_candidates():
    outcome = only("-    check_all_papers(vessel)", "+    check(vessel)")
    assert outcome.problem is not None
    assert outcome.problem.code is Code.ANCHOR_AMBIGUOUS
    assert [candidate.start_line for candidate in outcome.problem.candidates] == [1, 6]


def test_a_line_number_tells_them_apart_with_less_certainty():
    outcome = only("-    check_all_papers(vessel)", "+    check(vessel)", line_hint=6)
    assert [(change.start, change.certainty < 1) for change in outcome.changes] == [(6, True)]


def test_a_hunk_that_is_nowhere_says_where_it_nearly_is():
    outcome = only(" def moor(vessel):", "     check_all_papers(vessel)", "-    berth = any_berth(vessel.width)")
    assert outcome.problem is not None
    assert outcome.problem.code is Code.ANCHOR_NOT_FOUND
    assert [candidate.start_line for candidate in outcome.problem.candidates] == [0]


def test_what_is_there_already_is_applied():
    outcome = only("-    berth = any_berth()", "+    berth = free_berth(vessel.length)", "     return berth")
    assert (outcome.is_applied, outcome.changes, outcome.problem) == (True, (), None)


def test_a_lone_number_is_no_place_unless_it_is_the_files_end():
    middle = only("+import os", line_hint=3)
    assert middle.problem is not None
    assert "line number" in middle.problem.message
    (change,) = only("+import os", line_hint=0).changes
    assert change.start == 0


def test_both_sides_of_an_elision_are_found():
    (first, second) = only(" def moor(vessel):", "+    log(vessel)", ".", "-    return berth", "+    return 1").changes
    assert (first.start, second.start) == (1, 3)


def test_a_deletion_may_be_context_that_begins_with_a_dash():
    lines = ["steps:", "- build", "- test"]
    (outcome,) = outcomes(hunk("-build", "-test", "+- deploy"), lines=lines, format=Format.UDIFF)
    assert [(change.start, change.end, change.lines) for change in outcome.changes] == [(3, 3, ("- deploy",))]


@pytest.mark.parametrize(
    ("lines", "num_alike", "expected"),
    [
        (("-    return 0  # no berth", "+    return berth", " ", " def cast_off(vessel):"), 1, True),
        (("-    berth = any_berth()", "+    berth = free_berth(vessel.length)"), 1, True),
        (("-    check(vessel)", "+    check_all_papers(vessel)"), 1, False),  # stands twice: anyone's
        (("-    check(vessel)", "+    check_all_papers(vessel)"), 2, True),
        (("-    return berth", "+    berth = free_berth(vessel.length)"), 1, False),  # what it expects is there
        (("-    log(vessel)",), 1, False),  # removes what the file may never have had
        (("+}",), 1, False),  # says too little
        (("-x", ".", "+    berth = free_berth(vessel.length)"), 1, False),
    ],
)
def test_applied_is_what_left_nothing_to_do(lines: tuple[str, ...], num_alike: int, expected: bool):
    assert is_applied(LineIndex(LINES), hunk(*lines), num_alike) is expected


def test_plainly_applied_needs_much_to_the_letter():
    index = LineIndex(LINES)
    assert is_plainly_applied(index, hunk("-x", "+    check_all_papers(vessel)", *(f"+{line}" for line in LINES[2:4])))
    assert not is_plainly_applied(index, hunk("-x", "+    return berth"))
    assert not is_plainly_applied(index, hunk("-x", *(f"+{line.upper()}" for line in LINES[1:4])))


def test_lines_added_on_one_side_of_context_may_stand_there():
    index, place = LineIndex(LINES), Place(1, 2, ((1, 2),), Level.EXACT, 1.0)
    there = "     check_all_papers(vessel)", "+    berth = free_berth(vessel.length)"
    assert stands_beside(index, hunk(*there), place)
    assert not stands_beside(index, hunk(there[0], "+    berth = any_berth()"), place)
    assert not stands_beside(index, hunk(*there, "     return berth"), place)  # context on both sides


def test_a_piece_is_parted_where_it_passes_over_lines():
    index = LineIndex(LINES)
    given = hunk(*(f" {line}" for line in (*LINES[:2], *LINES[5:8])))
    (piece,) = pieces_of(given, 0)
    finder = Finder(index, Scopes(index, None), 1)
    parts = finder.parted(piece)
    assert [len(part.lines) for part in parts] == [2, 3]
    assert [part.follows for part in parts] == [False, True]
    assert [finder.find(part).candidates[0].place.start for part in parts] == [0, 5]


def test_pieces_lie_between_elisions():
    pieces = pieces_of(hunk(".", " a", ".", ".", "+b", "."), 7)
    assert [[line.text for line in piece.lines] for piece in pieces] == [["a"], ["b"]]
    assert [piece.hunk_number for piece in pieces] == [7, 7]
    assert [(piece.follows, piece.is_elided) for piece in pieces] == [(False, False), (True, True)]
