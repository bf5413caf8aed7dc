"""Other numbers of blank lines at single places of a merged result."""

from __future__ import annotations

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.reading import weights
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.result.gaps import GAPS, Gap, Gaps, spaced, ways_to_space
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import lines_of

ORIGINAL = """\
LIMIT = 3
STEP = 1


def first():
    return 1


def second():
    return 2
"""


def gaps(result: str, origins: list[int | None], shown: str, prose: str = "") -> dict[tuple[int, int], Gap]:
    """The other numbers of blank lines of a result, by where they begin and by number."""
    snippet = lines_of(shown)
    pieces = [(prose, frozenset("".join(line.split()) for line in snippet))]
    found = Gaps(Lines(lines_of(ORIGINAL)), [snippet], pieces).of_result(lines_of(result), origins)
    return {(gap.start, gap.number): gap for gap in found}


def test_the_number_that_the_snippet_shows_is_offered() -> None:
    result = ORIGINAL.replace("STEP = 1\n", "STEP = 1\nSIZE = 2\n")
    origins = [0, 1, None, *range(2, 10)]
    found = gaps(result, origins, "STEP = 1\n\nSIZE = 2\n")
    assert found[2, 1].values["shown"] == 1
    assert found[2, 1].values["none"] == -1
    assert found[2, 1].values["more"] == 1


def test_the_number_that_the_file_usually_has_is_offered() -> None:
    result = ORIGINAL.replace("\n\ndef second", "\ndef third():\n    return 3\n\n\ndef second")
    origins = [*range(7), None, None, None, *range(7, 10)]
    found = gaps(result, origins, "def third():\n    return 3\n")
    assert found[6, 2].values["usual"] == 1
    assert found[6, 2].values["above_again"] == 1  # the new lines have the two behind them


def test_places_that_are_as_in_the_file_are_left_alone() -> None:
    assert gaps(ORIGINAL, list(range(10)), "def first():\n\n    return 1\n") == {}


def test_words_ask_for_a_blank_line_or_for_none() -> None:
    result = ORIGINAL.replace("STEP = 1\n", "STEP = 1\nSIZE = 2\n")
    origins = [0, 1, None, *range(2, 10)]
    found = gaps(result, origins, "SIZE = 2\n", "After an empty line:")
    assert found[2, 1].values["asked"] == 1
    found = gaps(result, origins, "SIZE = 2\n", "Directly above `first`:")
    assert found[3, 0].values["asked_none"] == 1


def test_blank_lines_come_and_go_with_where_they_are_from() -> None:
    none = dict.fromkeys(GAPS, 0.0)
    chosen = [Gap(1, 2, 3, none), Gap(3, 5, 1, none)]
    texts, origins = spaced(["a", "", "b", "", "", "c"], [0, 1, None, 2, 3, 4], chosen)
    assert texts == ("a", "", "", "", "b", "", "c")
    assert origins == (0, 1, None, None, None, 2, 4)


def test_each_place_is_chosen_by_itself() -> None:
    worth = dict.fromkeys(GAPS, 0.0) | {"any": -1.0, "shown": 3.0}
    good, poor = {"any": 1.0, "shown": 1.0}, {"any": 1.0}
    found = [Gap(1, 2, 0, good), Gap(4, 5, 0, poor), Gap(7, 7, 1, {"any": 9.0})]
    ways = {tuple(gap.start for gap in way.chosen): way for way in ways_to_space(found, worth)}
    assert {starts: way.gain for starts, way in ways.items()} == {(): -2.0, (1,): 0.0, (1, 4): -1.0}
    assert ways[()].values == {"any": -1.0, "shown": -1.0}
    assert ways[1,].values == {}


def test_a_reading_has_the_blank_line_at_one_place_alone() -> None:
    shown = ("def first():", "    return 1", "", "def third():", "    return 3", "# ... existing code ...")
    asked = (lines_of(ORIGINAL), [Snippet(shown)], "python", "", outline(ORIGINAL, "python"))
    none = {f"gap_{name}": 0.0 for name in GAPS} | {"gap_any": -1.0}
    best = readings_of(*asked, known_weights=weights() | none)[0]
    assert best.lines[6:8] == ("", "def third():")  # as the snippet shows it
    best = readings_of(*asked, known_weights=weights() | none | {"gap_usual": 9.0})[0]
    at = best.lines.index("def third():")
    assert best.lines[at - 3 : at] == ("    return 1", "", "")
    assert best.lines[at + 2 : at + 5] == ("", "", "def second():")
