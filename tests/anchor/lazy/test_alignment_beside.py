"""Comments, annotations and blank lines that go with what words speak of."""

from __future__ import annotations

import numpy as np

from fastedit.anchor.hints import Hints
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.proposals.beside import Beside, LostBeside
from fastedit.anchor.lazy.proposals.finder import proposals_for
from fastedit.anchor.lazy.proposals.proposals import PROPOSALS, ProposedLoss, combinations, followed
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.words.repeated import declared_in
from fastedit.anchor.lazy.words.spoken import spoken_units
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import WEIGHTS, lines_of

ORIGINAL = """\
# this helps the editor to find the name
NAME = lookup("name")

# All of them.
# Two lines.
ITEMS = Union[list, tuple]


@cached
def load(path):
    \"\"\"Loads.

    :return: what is there
    \"\"\"
    return path
"""


def found(prose: str, shown: str = "", changed: tuple[int, ...] = ()) -> list[LostBeside]:
    """The comments that the words before a snippet may mean."""
    original = Lines(lines_of(ORIGINAL))
    keys = frozenset("".join(line.split()) for line in lines_of(shown))
    return Beside(original, [(prose, keys)], keys).comments(set(range(len(original))), changed)


def test_a_comment_is_known_by_its_words() -> None:
    [one] = found("This goes in place of the remark about the editor.")
    assert list(one.lines) == [0]
    assert one.values["comment_words"] > 0
    assert one.values["comment_far"] == 1


def test_a_comment_is_known_by_what_stands_below() -> None:
    [one] = found("No Union any more, nor the comment above it:", "ITEMS = list | tuple\n", (5,))
    assert list(one.lines) == [3, 4]
    assert one.values["comment_here"] == one.values["comment_changed"] == 1


def test_a_comment_is_known_by_quotes_of_it_and_of_what_it_stands_above() -> None:
    [one] = found("The “All of them” comment goes.")
    assert list(one.lines) == [3, 4]
    assert one.values["comment_quoted"] == 1
    [one] = found("Drop `NAME = lookup(...)` with the comment above it.")
    assert list(one.lines) == [0]
    assert one.values["comment_above"] == 1
    assert one.values["comment_quoted"] == 0
    assert found("Remove `NAM` and `Two`, and say so in a comment.") == []


def test_of_several_comments_each_sentence_means_the_likeliest_most() -> None:
    prose = "The comment about the editor is gone. So is the one on the list, remove the “Two lines” comment."
    told = {one.lines.start: one.values["comment_best"] for one in found(prose, "NAME = 1\nITEMS = []\n", (1, 5))}
    assert told == {0: 1, 3: 1}
    told = {one.lines.start: one.values["comment_best"] for one in found("The comments go.", "", (1, 5))}
    assert told == {0: 0, 3: 0}


def test_a_comment_is_found_though_another_proposal_has_it_too() -> None:
    prose = "The comment about the `editor` goes."
    lines, outlined = lines_of(ORIGINAL), outline(ORIGINAL, "python")
    units = spoken_units(prose, Lines(lines), declared_in(outlined))
    assert [(one.start, one.end) for one in units] == [(0, 1)]
    beside = Beside(Lines(lines), [(prose, frozenset())])
    proposed = proposals_for(lines, range(len(lines)), lines, outlined, Hints(), units, (), beside)
    at = PROPOSALS.index("beside_comment")
    assert [one.gone for one in proposed if one.values[at]] == [(0,)]


def test_annotations_have_words_of_their_own() -> None:
    [one] = found("The annotation goes.", "def load(path):\n")
    assert list(one.lines) == [8]
    assert found("The comment goes.", "def load(path):\n") == []


def test_other_sentences_mean_no_comment() -> None:
    assert found("A comment about the editor helps.") == []
    assert found("The function goes.", "ITEMS = 1\n", (5,)) == []


def test_the_blank_line_beside_goes_with_what_goes_and_never_alone() -> None:
    prose = "Remove the `:return:` line and the blank line above it."
    lines, outlined = lines_of(ORIGINAL), outline(ORIGINAL, "python")
    units = spoken_units(prose, Lines(lines), declared_in(outlined))
    beside = Beside(Lines(lines), [(prose, frozenset())])
    proposed = proposals_for(lines, range(len(lines)), lines, outlined, Hints(), units, (), beside)
    worth = np.array([1.0 if name.startswith("beside_blank") else 0.0 for name in PROPOSALS])
    ways = [{line for one in way for line in one.gone} for way in combinations(proposed, worth)]
    assert {11, 12} in ways
    assert {11} not in ways


def edges(prose: str, shown: str) -> list[tuple[int, int]]:
    """The lines [start, end) above or below a snippet that may go from `ORIGINAL`."""
    lines = lines_of(ORIGINAL)
    keys = frozenset("".join(line.split()) for line in lines_of(shown))
    return [
        (one.lines.start, one.lines.stop)
        for one in Beside(Lines(lines), [(prose, keys)]).edges(lines, range(len(lines)))
    ]


def test_what_stands_above_the_top_of_a_file_may_go() -> None:
    assert edges("The top of the file, without the lookup:", "# All of them.\n# Two lines.\n") == [(0, 3)]
    assert edges("The file then ends with", "ITEMS = Union[list, tuple]\n") == [(6, 15)]
    assert edges("The constants:", "# All of them.\n") == []
    assert edges("At the top:", "# this helps the editor to find the name\n") == []


def test_a_line_that_names_the_interpreter_stays() -> None:
    lines = ["#!/bin/sh", "# old", "set -e"]
    [one] = Beside(Lines(lines), [("The top of the script:", frozenset({"set-e"}))]).edges(lines, range(3))
    assert list(one.lines) == [1]


def test_a_reading_does_without_the_comment() -> None:
    message = "No Union any more, nor the comment above it:\n\n```python\nITEMS = list | tuple\n```\n"
    snippet = Snippet(("ITEMS = list | tuple",), prose="No Union any more, nor the comment above it:")
    asked = (lines_of(ORIGINAL), [snippet], "python", message, outline(ORIGINAL, "python"))
    best = readings_of(*asked, known_weights=WEIGHTS | {"beside_comment_here": 9.0})[0]
    assert "# All of them." not in best.lines
    assert "# this helps the editor to find the name" in best.lines


def test_a_new_line_that_words_add_stands_behind_its_line() -> None:
    none = (0.0,) * len(PROPOSALS)
    way = [ProposedLoss((1,), none, added=((0, "new"), (-1, "top")))]
    assert followed(["a", "b", "c"], [0, 1, 2], way) == (("top", "a", "new", "c"), (None, 0, None, 2))


def test_the_best_sets_of_proposals_are_tried() -> None:
    values = [-0.1, -0.2, 3.0, -5.0, 2.0]
    proposed = [
        ProposedLoss((number,), tuple(value * (name == "removes_line") for name in PROPOSALS))
        for number, value in enumerate(values)
    ]
    worth = np.array([float(name == "removes_line") for name in PROPOSALS])
    ways = [tuple(line for one in way for line in one.gone) for way in combinations(proposed, worth)]
    assert (0, 1, 2, 4) in ways
    assert len(ways) == len(set(ways))
