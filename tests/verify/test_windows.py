from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.verify.windows import LineChange, plan_windows, splice, whole_file

FILE = [f"line {number}\n" for number in range(200)]


def spans(windows):
    return [(window.start, window.end) for window in windows]


def test_a_change_shows_its_declaration_and_some_context():
    windows = plan_windows(FILE, [LineChange(55, 56, ("new\n",))], [(0, 100), (50, 70), (54, 58)], context_lines=3)
    assert spans(windows) == [(51, 61)]
    windows = plan_windows(FILE, [LineChange(55, 60, ("new\n",))], [(0, 100), (50, 70), (54, 58)], context_lines=3)
    assert spans(windows) == [(47, 73)]


def test_a_declaration_too_large_is_shown_in_part():
    windows = plan_windows(FILE, [LineChange(90, 91, ())], [(0, 200)], context_lines=5, max_declaration_lines=150)
    assert spans(windows) == [(85, 96)]


def test_windows_that_meet_are_one():
    changes = [LineChange(20, 21, ()), LineChange(30, 30, ("x\n",)), LineChange(100, 101, ())]
    windows = plan_windows(FILE, changes, [], context_lines=5)
    assert spans(windows) == [(15, 35), (95, 106)]
    assert [len(window.changes) for window in windows] == [2, 1]


def test_no_change_needs_no_window():
    assert plan_windows(FILE, [], [(0, 10)]) == ()
    assert splice(FILE, (), ()) == "".join(FILE)


def test_a_draft_knows_its_edges_and_declarations():
    change = LineChange(10, 12, ("new a\n", "new b\n", "new c\n"))
    (window,) = plan_windows(FILE, [change], [(8, 20), (15, 18)], context_lines=2)
    draft = window.draft
    first, second = draft.edges
    assert draft.text[first:second] == "new a\nnew b\nnew c\n"
    assert [draft.text[offset:].split("\n")[0] for offset in draft.boundaries] == ["line 8", "line 15"]


@pytest.mark.parametrize(
    "changes", [[LineChange(5, 4, ())], [LineChange(199, 201, ())], [LineChange(5, 9, ()), LineChange(8, 10, ())]]
)
def test_impossible_changes_are_refused(changes):
    with pytest.raises(ValueError, match="overlaps"):
        plan_windows(FILE, changes, [])


def test_texts_and_windows_have_to_match():
    with pytest.raises(ValueError, match="zip"):
        splice(FILE, plan_windows(FILE, [LineChange(1, 2, ())], []), [])


@st.composite
def edited_files(draw):
    lines = draw(st.lists(st.sampled_from(["a\n", "b\r\n", "\n", "é\n"]), max_size=60))
    if draw(st.booleans()):
        lines.append("no end")
    cuts = sorted(draw(st.lists(st.integers(0, len(lines)), max_size=8)))
    new = st.lists(st.sampled_from(["x\n", "y\r\n"]), max_size=3).map(tuple)
    changes = [LineChange(start, end, draw(new)) for start, end in zip(cuts[::2], cuts[1::2], strict=False)]
    declarations = [tuple(sorted(pair)) for pair in draw(st.lists(st.tuples(*[st.integers(0, len(lines))] * 2)))]
    return lines, changes, declarations


@given(edited_files(), st.integers(0, 5), st.integers(1, 30))
def test_drafts_spliced_back_are_the_merged_file(case, context_lines, max_lines):
    lines, changes, declarations = case
    expected, at = "", 0
    for change in changes:
        expected += "".join([*lines[at : change.start], *change.lines])
        at = change.end
    expected += "".join(lines[at:])
    windows = plan_windows(lines, changes, declarations, context_lines=context_lines, max_declaration_lines=max_lines)
    assert splice(lines, windows, [window.draft.text for window in windows]) == expected
    assert splice(lines, windows, [window.original for window in windows]) == "".join(lines)
    assert sum(len(window.changes) for window in windows) == len(changes)
    assert all(one.end < other.start for one, other in itertools.pairwise(windows))
    assert whole_file(lines, changes, declarations).draft.text == expected
