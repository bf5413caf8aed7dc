"""What one clause says goes together, and lines that go wherever they are."""

from __future__ import annotations

import numpy as np
import pytest

from fastedit.anchor.hints import hints_of
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.proposals.finder import proposals_for
from fastedit.anchor.lazy.proposals.proposals import PROPOSALS, ProposedLoss, combinations
from fastedit.anchor.lazy.proposals.together import gone_everywhere, told_together
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.words.repeated import declared_in
from fastedit.anchor.lazy.words.spoken import spoken_units
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import lines_of

FRUITS = """\
FRUITS = [
    "apple",
    "apple-tree",
    "cherry",
    "lime",
    "pear",
]


@slow
def pick(fruit):
    return fruit


@slow
@once
def eat(fruit):
    return None
"""


def proposed(prose: str) -> list[ProposedLoss]:
    """What the words propose for a result that is the original."""
    lines, outlined = lines_of(FRUITS), outline(FRUITS, "python")
    declared, original = declared_in(outlined), Lines(lines_of(FRUITS))
    return proposals_for(
        lines,
        range(len(lines)),
        lines,
        outlined,
        hints_of(prose),
        spoken_units(prose, original, declared),
        together=told_together(prose),
        everywhere=gone_everywhere(prose, original, declared),
    )


def values(one: ProposedLoss) -> dict[str, float]:
    """What speaks for a proposal."""
    return {name: value for name, value in zip(PROPOSALS, one.values, strict=True) if value}


@pytest.mark.parametrize(
    ("prose", "names"),
    [
        ("Delete `a`, `b` and `c` from the list.", [("a", "b", "c")]),
        ("That makes `a` and `b` superfluous; please delete both.", [("a", "b")]),
        ("Out go `a` and `b`.", [("a", "b")]),
        ("Delete `f()` and `g()` with their comments.", [("f()", "g()")]),
        ("What goes:\n\n- `a`, as said\n- `b`\n\nThe rest is as it was.", [("a", "b")]),
        ("Remove `a` from `x`, `y` and `z`.", []),
        ("`a` and `b` are new.", []),
        ("`a` is gone.", []),
    ],
)
def test_the_names_of_a_clause_go_together(prose: str, names: list[tuple[str, ...]]) -> None:
    assert [one.names for one in told_together(prose)] == names


def test_a_clause_tells_how_many_things_go() -> None:
    [one] = told_together("These three go: `a`, `b`, `c`.")
    assert one.values["counted"] == 1
    [one] = told_together("These four go: `a`, `b`, `c`.")
    assert one.values["miscounted"] == 1


def test_what_a_clause_names_is_one_proposal() -> None:
    one = proposed('Delete `"apple-tree"`, `"lime"` and `"pear"` from the same list.')[0]
    assert one.gone == (2, 4, 5)
    assert values(one)["together_parsed"] == 1
    assert "together_missing" not in values(one)
    one = proposed('Delete `"lime"`, `"pear"` and `"plum"` from the list.')[0]
    assert values(one)["together_missing"] == pytest.approx(1 / 3)


def test_a_proposal_that_joins_others_is_never_followed_beside_them() -> None:
    found = proposed('Delete `"lime"` and `"pear"` from the list.')
    worth = np.array([1.0 if name in ("together_any", "removes_quoted") else 0.0 for name in PROPOSALS])
    for way in combinations(found, worth):
        joined = {id(part) for one in way for part in one.joins}
        assert not any(id(one) in joined for one in way)
    assert {line for one in combinations(found, worth)[-1] for line in one.gone} <= {4, 5}


@pytest.mark.parametrize(
    ("prose", "lines"),
    [
        ("Every `@slow` line can be deleted.", {(9, 14)}),
        ("All `@slow` decorators go.", {(9, 14)}),
        ("The `@slow` line goes from both functions.", {(9, 14)}),
        ("All `@slow` decorators in `eat` go.", {(14,)}),
        ("The `@slow` line of `eat` goes, all others stay.", set()),
        ("All `@slow` decorators are needed here.", set()),
    ],
)
def test_lines_go_wherever_they_are(prose: str, lines: set[tuple[int, ...]]) -> None:
    original = Lines(lines_of(FRUITS))
    found = gone_everywhere(prose, original, declared_in(outline(FRUITS, "python")))
    assert {one.lines for one in found} == lines


def test_what_goes_everywhere_is_proposed() -> None:
    found = [one for one in proposed("Every `@slow` line can be deleted.") if "together_every" in values(one)]
    assert [one.gone for one in found] == [(9, 14)]


def test_all_entries_go_that_a_clause_names() -> None:
    prose = 'A new entry. Also delete `"apple-tree"`, `"lime"` and `"pear"` from the same list.'
    snippet = Snippet(("FRUITS = [", '    "acai",', '    "apple",', "# ..."), prose=prose)
    message = f"{prose}\n\n```python\n" + "\n".join(snippet.lines) + "\n```\n"
    best = readings_of(lines_of(FRUITS), [snippet], "python", message, outline(FRUITS, "python"))[0]
    assert best.lines[:5] == ("FRUITS = [", '    "acai",', '    "apple",', '    "cherry",', "]")
