"""Snippets cut from changes show lines of the result in its order, and say truly where lines are left out."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from fastedit.training.cuts import cut_snippet, hunks_of
from support.examples import examples

PHRASE = "the rest stays as it is"
LINES = st.sampled_from(
    ["class A:", "    def run(self):", "        self.go()", "", "        return 1", "def run():", "    x = 1", "y = 2"]
)
TEXTS = st.lists(LINES, max_size=25)


@st.composite
def changes(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    original = draw(TEXTS)
    result = list(original)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(result)))
        end = draw(st.integers(start, min(len(result), start + 3)))
        result[start:end] = draw(st.lists(st.one_of(LINES, st.just("    new()")), max_size=3))
    return original, result


def positions(shown: list[str], lines: list[str]) -> list[int] | None:
    """Where each shown line stands, one behind the other and as early as can be; None where one doesn't."""
    found, at = [], 0
    for line in shown:
        at = next((n for n in range(at, len(lines)) if lines[n].strip() == line.strip()), -1) + 1
        if not at:
            return None
        found.append(at - 1)
    return found


@given(changes(), st.integers(0, 10**6))
@examples(150)
def test_the_lines_shown_are_lines_of_the_result_in_its_order(change, seed):
    original, result = change
    snippet = cut_snippet(original, result, "python", [PHRASE], random.Random(seed))
    if snippet is not None:
        told = [line for line in snippet if line.strip() and not line.strip().startswith("#")]
        assert positions(told, result) is not None


@given(st.integers(3, 30), st.data())
@examples(150)
def test_a_marker_stands_only_where_lines_are_left_out(count, data):
    # No line stands twice, so that each shown one has one place.
    original = [f"{'    ' * (n % 3)}step_{n}({'):'[n % 3 == 2 :]}" for n in range(count)]
    result = list(original)
    for change in range(data.draw(st.integers(1, 3))):
        result[data.draw(st.integers(0, len(result) - 1))] = f"changed_{change}()"
    del result[: data.draw(st.integers(0, 1))]
    snippet = cut_snippet(original, result, "python", [PHRASE], random.Random(data.draw(st.integers(0, 10**6))))
    places = {line.strip(): number for number, line in enumerate(result)}
    last, is_marked = -1, False
    for line in snippet or []:
        if line.strip().startswith("#"):
            assert not is_marked
            is_marked = True
        elif line.strip():
            place = places[line.strip()]
            assert not is_marked or place > last + 1 or (last < 0 and original[0] not in result)
            last, is_marked = place, False
    assert not is_marked or last < len(result) - 1


@given(changes())
@settings(deadline=None)
def test_hunks_make_the_result_of_the_original(change):
    original, result = change
    made = list(original)
    for hunk in reversed(hunks_of(original, result)):
        made[hunk.start : hunk.end] = result[hunk.new_start : hunk.new_end]
    assert made == result


def test_nothing_is_cut_where_nothing_changes():
    assert cut_snippet(["a"], ["a"], "python", [PHRASE], random.Random(1)) is None


def test_markers_are_dots_where_a_language_has_no_comments():
    original = [f'"key{n}": {n},' for n in range(40)]
    result = [*original[:20], '"key20": "x",', *original[21:]]
    cut = [cut_snippet(original, result, "", [PHRASE], random.Random(seed)) for seed in range(40)]
    others = {line.strip() for snippet in cut for line in snippet or []} - set(result)
    assert others == {"..."}


def test_is_the_same_for_the_same_seed():
    original = [f"line {n}" for n in range(30)]
    result = [*original[:9], "new", *original[10:25], "newer", *original[25:]]
    cut = [cut_snippet(original, result, "python", [PHRASE], random.Random(seed)) for seed in range(8)]
    assert cut == [cut_snippet(original, result, "python", [PHRASE], random.Random(seed)) for seed in range(8)]
    assert len({tuple(snippet or ()) for snippet in cut}) > 3
