"""How lines that are quoted from memory are laid on a stretch of the original."""

from __future__ import annotations

import pytest

from fastedit.anchor.patch.fit import MIN_QUALITY, Fit, fit, num_cells
from fastedit.anchor.patch.locate import LineIndex
from fastedit.edits.model import Op, PatchLine

LINES = [
    "def moor(vessel):",  # 0
    "    check_papers(vessel)",
    "    # The longest berth that is free",
    "    berth = free_berth(vessel.length)",
    "    berth.take(vessel, since=clock.now())",
    "    return berth",  # 5
]


def fitted(*quoted: str, lines: list[str] = LINES) -> Fit:
    """The fit of lines with a diff's marks before them."""
    ops = {" ": Op.KEEP, "-": Op.DELETE}
    found = fit(LineIndex(lines), [PatchLine(ops[line[0]], line[1:]) for line in quoted], (0, len(lines)))
    assert found is not None
    return found


def test_exact_lines_have_their_own_places():
    found = fitted(*(f" {line}" for line in LINES))
    assert list(found.place.spans) == [(row, row + 1) for row in range(6)]
    assert (found.refusal, found.place.reason, found.place.quality) == ("", "", 1.0)


def test_a_line_that_the_patch_passes_over_costs_a_little():
    found = fitted(" def moor(vessel):", "     check_papers(vessel)", "     berth = free_berth(vessel.length)")
    assert list(found.place.spans) == [(0, 1), (1, 2), (3, 4)]
    assert not found.refusal
    assert MIN_QUALITY < found.place.quality < 1
    assert "left out" in found.place.reason


def test_a_joined_line_takes_the_rows_that_it_quotes():
    lines = ["call(", "    first,", "    second,", ")", "done(everything)"]
    found = fitted(" call(first,second,)", " done(everything)", lines=lines)
    assert list(found.place.spans) == [(0, 4), (4, 5)]


def test_a_wrapped_line_shares_its_row():
    wrapped = "     berth = free_berth(", "         vessel.length", "     )"
    found = fitted(*wrapped, "     berth.take(vessel, since=clock.now())")
    assert list(found.place.spans) == [(3, 4), (3, 4), (3, 4), (4, 5)]


def test_a_line_to_remove_that_is_not_there_is_another_version():
    found = fitted("     check_papers(vessel)", "-    berth = any_berth()", "     return berth")
    assert "to remove" in found.refusal


def test_context_of_which_too_little_is_there_is_refused():
    found = fitted(" class Harbour(Port):", "     tide = Tide(self)", "     return berth", "     log.info(moored_at)")
    assert found.refusal


def test_a_bracket_alone_says_too_little():
    found = fitted(" )", lines=["call(", ")", "x = 1"])
    assert found.refusal == "what is there says too little"


def test_context_quoted_badly_between_two_neighbours_is_paired_with_what_lies_there():
    found = fitted("     check_papers(vessel)", "     # some other remark", "     berth = free_berth(vessel.length)")
    assert list(found.place.spans) == [(1, 2), (2, 3), (3, 4)]


def test_nothing_in_common_is_no_fit():
    index = LineIndex(["alpha beta", "gamma delta"])
    assert fit(index, [PatchLine(Op.KEEP, "zz(9) % 77 ** qq")], (0, 2)) is None
    assert fit(index, [], (0, 2)) is None
    assert fit(index, [PatchLine(Op.KEEP, "alpha beta")], (1, 1)) is None


@pytest.mark.parametrize(("num_expected", "num_rows"), [(1, 1), (10, 12), (200, 240), (5, 900)])
def test_the_work_is_counted_before_it_is_done(num_expected: int, num_rows: int):
    expected = [PatchLine(Op.KEEP, "x")] * num_expected
    assert 0 < num_cells(expected, (0, num_rows)) <= (num_expected + 1) * (num_rows + 1)
