"""Well-formed patches of any change apply exactly, in every format; broken ones never raise."""

from __future__ import annotations

import difflib

from hypothesis import given
from hypothesis import strategies as st

from fastedit.anchor.model import Alignment, SegmentKind
from fastedit.anchor.patch.align import align_patch
from fastedit.edits import parse_message
from fastedit.edits.model import Edit, Format, Op, PatchHunk, PatchLine

# Few lines and many repetitions: what makes places hard to tell apart.
REPEATED = st.lists(
    st.sampled_from(["", "}", "    return x", "x = 1", "def f():", "    pass", "# note", "  - a"]), max_size=25
)
PLAIN = st.lists(st.integers(0, 999), max_size=25, unique=True).map(
    lambda numbers: [f"{'    ' * (n % 3)}name_{n} = value_{n * 7}" for n in numbers]
)


@st.composite
def changes(draw: st.DrawFn, lines: st.SearchStrategy[list[str]]) -> tuple[list[str], list[str]]:
    """A text and what became of it: some runs of lines deleted, some replaced, some inserted."""
    before = draw(lines)
    after = list(before)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(after)))
        end = min(len(after), start + draw(st.integers(0, 3)))
        after[start:end] = draw(lines.map(lambda new: new[:4]))
    return before, after


def result(before: list[str], edit: Edit) -> list[str]:
    alignment = align_patch(before, edit, None)
    assert alignment.problems == ()
    return rendered(before, alignment)


def rendered(before: list[str], alignment: Alignment) -> list[str]:
    after: list[str] = []
    position = 0
    for segment in alignment.segments:
        assert segment.start == position <= segment.end
        position = segment.end
        after += before[segment.start : segment.end] if segment.kind is SegmentKind.KEEP else segment.lines
    assert position == len(before)
    return after


@given(changes(REPEATED) | changes(PLAIN), st.integers(1, 4))
def test_a_unified_diff_applies_exactly(change: tuple[list[str], list[str]], num_context: int):
    before, after = change
    diff = list(difflib.unified_diff(before, after, "a/x", "b/x", lineterm="", n=num_context))
    if diff:
        (edit,) = parse_message("\n".join(["~~~~~~diff", *diff, "~~~~~~"]))
        assert result(before, edit) == after


@given(changes(PLAIN))
def test_search_replace_applies_exactly(change: tuple[list[str], list[str]]):
    before, after = change
    if before and before != after:
        message = "\n".join(["<<<<<<< SEARCH", *before, "=======", *after, ">>>>>>> REPLACE"])
        (edit,) = parse_message(message)
        assert result(before, edit) == after


@given(changes(PLAIN), st.integers(1, 3))
def test_v4a_applies_exactly(change: tuple[list[str], list[str]], num_context: int):
    before, after = change
    if not before or before == after:
        return
    lines = ["*** Begin Patch", "*** Update File: x"]
    for line in difflib.unified_diff(before, after, lineterm="", n=num_context):
        if line.startswith("@@"):
            lines.append("@@")
        elif not line.startswith(("---", "+++")):
            lines.append(line)
    (edit,) = parse_message("\n".join([*lines, "*** End Patch"]))
    assert result(before, edit) == after


@given(changes(PLAIN))
def test_a_whole_file_is_what_it_holds(change: tuple[list[str], list[str]]):
    _, after = change
    if any(after):
        (edit,) = parse_message("\n".join(["~~~", *after, "~~~"]), format="whole")
        assert list(edit.snippets[0].lines) == after


HUNK_LINES = st.lists(
    st.builds(
        PatchLine,
        st.sampled_from(list(Op)),
        st.sampled_from(["", "}", "    return x", "return x  # y", "X = 1", "x=1", "..."]),
    ),
    max_size=8,
).map(lambda lines: tuple(PatchLine(line.op, "") if line.op is Op.SKIP else line for line in lines))
HUNKS = st.lists(
    st.builds(
        PatchHunk,
        HUNK_LINES,
        line_hint=st.none() | st.integers(0, 40),
        scopes=st.lists(st.sampled_from(["def f():", "x", "", "}"]), max_size=2).map(tuple),
        at_end=st.booleans(),
    ),
    max_size=5,
).map(tuple)


@given(REPEATED, HUNKS, st.sampled_from([Format.UDIFF, Format.SEARCH_REPLACE, Format.V4A]))
def test_any_hunks_give_a_sound_alignment(before: list[str], hunks: tuple[PatchHunk, ...], format: Format):
    alignment = align_patch(before, Edit(format, hunks=hunks), None)
    rendered(before, alignment)
    assert all(0 <= segment.certainty <= 1 for segment in alignment.segments)
    assert all(segment.certainty == 1 or segment.reason for segment in alignment.segments)
    new = {line.text.strip() for hunk in hunks for line in hunk.lines if line.op is Op.ADD}
    written = {line.strip() for segment in alignment.segments for line in segment.lines}
    assert written <= new
