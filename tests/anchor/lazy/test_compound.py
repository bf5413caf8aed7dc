"""Whole statements, spans and blank lines that words say go."""

from __future__ import annotations

import pytest

from fastedit.anchor.hints import Hints
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.proposals.beside import Beside
from fastedit.anchor.lazy.proposals.finder import proposals_for
from fastedit.anchor.lazy.proposals.proposals import PROPOSALS
from fastedit.anchor.lazy.proposals.together import told_together
from fastedit.anchor.lazy.words.compound import branch_at, compound_at, control_word
from fastedit.anchor.lazy.words.repeated import declared_in
from fastedit.anchor.lazy.words.spoken import spoken_units
from fastedit.syntax import outline
from support.aligning import lines_of

SCRIPT = """\
def start(job):
    run(job)


try:
    import fast
except ImportError:
    pass
else:
    fast.setup(start)

if size > 3:
    small = False
else:
    small = True
# fetch note
let = load(
  3,
)
done = 1
"""
BRACED = """\
if (isOld()) {
  first();
} else {
  second();
}
else_thing();
"""
SIGNED = """\
#if defined(A)
#  ifdef B
#define C
#  endif
#endif
#define D
"""


def spans(prose: str, original: str = SCRIPT) -> list[tuple[int, int]]:
    """The units that the words may mean, the likeliest first."""
    found = spoken_units(prose, Lines(lines_of(original)), declared_in(outline(original, "python")))
    return [(one.start, one.end) for one in found]


@pytest.mark.parametrize(
    ("original", "line", "whole"),
    [
        (SCRIPT, 4, range(4, 10)),
        (SCRIPT, 8, range(4, 10)),
        (SCRIPT, 11, range(11, 15)),
        (SCRIPT, 0, range(0)),
        (BRACED, 0, range(5)),
        (SIGNED, 0, range(5)),
        (SIGNED, 1, range(1, 4)),
    ],
)
def test_a_statement_has_all_its_branches(original: str, line: int, whole: range) -> None:
    assert compound_at(line, Lines(lines_of(original))) == whole


def test_a_branch_is_a_header_with_its_body() -> None:
    lines = Lines(lines_of(SCRIPT))
    assert (branch_at(4, lines), branch_at(8, lines)) == (range(4, 6), range(8, 10))


def test_control_words_are_told_from_names() -> None:
    assert [control_word(text) for text in ("if x:", "iffy = 1", "} else {", "# if it is", "for = 2", "#ifdef A")] == [
        "if", "", "else", "#if", "", "#ifdef",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("prose", "span"),
    [
        ("The `try`/`except`/`else` behind `start` is gone.", (4, 10)),
        ("Delete the whole `if` around `small = True`.", (11, 15)),
        ("The `if size > 3: … else: …` block is deleted.", (11, 15)),
        ("The `if size > 3:` check goes.", (11, 15)),
        ("Drop the whole `let = load( … )`.", (16, 19)),
        ("The three lines from `if size > 3:` down are removed.", (11, 14)),
        ("Only deletions here:\n\n- the `if size > 3:` block", (11, 15)),
    ],
)
def test_words_mean_whole_statements_and_spans(prose: str, span: tuple[int, int]) -> None:
    assert span in spans(prose)


def test_control_words_that_are_listed_are_one_statement() -> None:
    [told] = told_together("Delete `start` and the `try`/`except`/`else` behind it.")
    assert told.names == ("start", "try")


def proposed(prose: str, original: str, written: tuple[str, ...] = ()) -> dict[tuple[int, ...], set[str]]:
    """What goes by each proposal for the original with new lines above it → what speaks for it."""
    old = lines_of(original)
    beside = Beside(Lines(old), [(prose, frozenset())])
    origins = [*[None] * len(written), *range(len(old))]
    found = proposals_for([*written, *old], origins, old, outline(original, "python"), Hints(), beside=beside)
    return {one.gone: {n for n, v in zip(PROPOSALS, one.values, strict=True) if v} for one in found}


def test_blank_lines_at_the_end_go_where_words_say_so() -> None:
    original = "a = 1\n\n"
    assert (1,) in proposed("The superfluous blank line at the end of the file is too much.", original)


def test_a_line_that_is_written_anew_in_its_block_may_go() -> None:
    found = proposed("", "first = 1\nlimit_all(first)\nlast = 2\n", ("limit_all(first)",))
    assert found == {(1,): {"removes_repeat", "removes_again"}}


def test_blank_lines_beside_each_of_several_lines_go_together() -> None:
    original = Lines(lines_of("a\n\n* note\nb\n\n* note\nc\n"))
    beside = Beside(original, [("Every note goes, with the blank line above it.", frozenset())])
    assert [one.lines for one in beside.blanks((2, 5), set(range(7)))] == [(1, 4)]
