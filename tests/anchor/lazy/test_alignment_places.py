"""Where words say that a snippet goes, what they announce, and what that weighs."""

from __future__ import annotations

import numpy as np
import pytest

from fastedit.anchor.lazy.features import (
    DELETED_LINE,
    IDENTITY_OTHER,
    LIKE,
    LIKE_REPLACED,
    LIKE_REPLACED_NOT,
    NEW_AT,
    NEW_SAID_ADDS,
    SAID_ADDS,
    SAID_ADDS_OTHER,
    SAID_PLACED,
)
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.reading import NAMES, Reading
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.search.grid import Context, Grid
from fastedit.anchor.lazy.search.rows import rows_of
from fastedit.anchor.lazy.search.steps import NewLines
from fastedit.anchor.lazy.words.behind import parted
from fastedit.anchor.lazy.words.phrases import Intent, asks_blanks, intent_of, replaced_in
from fastedit.anchor.lazy.words.places import PlaceReader, Told
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import WEIGHTS, grid_of, lines_of

ORIGINAL = """\
import os

LIMIT = 10
NAMES = [
    "a",
]


def load(path):
    return open(path)


def save(path):
    return path
"""


def told_by(prose: str, shown: str = "    return 1") -> Told:
    lines = Lines(lines_of(ORIGINAL))
    grid = Grid(lines, rows_of([shown], lines, "python"), outline(ORIGINAL, "python"), Context(prose=prose))
    return grid.told


def places_of(mask: np.ndarray[tuple[int], np.dtype[np.bool_]] | None) -> list[int] | None:
    return None if mask is None else np.nonzero(mask)[0].tolist()


@pytest.mark.parametrize(
    "prose",
    [
        "In `load`, read bytes:",
        "Liest Bytes. In `load()`:",
        "It is all about `save`.\n\nInside the function `load`",
        "En `load`:",
        "`load`の中で：",
    ],
)
def test_words_name_a_declaration(prose: str) -> None:
    told = told_by(prose)
    assert places_of(told.inside) == [8, 9]
    assert told.at is None


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("After `LIMIT`:", [3]),
        ("Below `NAMES = [`", [6, 7, 8]),
        ("Vor `save` kommt", [10, 11, 12]),
        ("Debajo de `import os`:", [1, 2]),
        ("`LIMIT`之后：", [3]),
        ("At the top of the file:", [0]),
        ("And at the bottom:", [14]),
    ],
)
def test_words_name_a_position(prose: str, expected: list[int]) -> None:
    told = told_by(prose)
    assert places_of(told.at) == expected
    assert told.inside is None


@pytest.mark.parametrize(
    "prose",
    ["", "`load` calls it.", "After `nothing`:", "Reading from the top down, it got slow.", "Now in `extra`:"],
)
def test_other_words_tell_no_place(prose: str) -> None:
    told = told_by(prose, shown="def extra(path):")
    assert (told.inside, told.at) == (None, None)


def test_what_the_snippet_declares_itself_is_no_place() -> None:
    assert told_by("In `load`:", shown="def load(path):").inside is None


def test_a_name_of_many_lines_is_no_place() -> None:
    lines = Lines(["x = path"] * 5)
    told = PlaceReader(lines, {}).told("After `path`:", frozenset())
    assert told.at is None


def test_positions_are_told_from_others() -> None:
    lines = Lines(lines_of(ORIGINAL))
    rows = rows_of(["    log(path)"], lines, "python")
    grid = Grid(lines, rows, outline(ORIGINAL, "python"), Context(prose="In `save`, first:"))
    table = grid.new.table(0)
    inside, outside = table[:, NEW_AT.index("in_told")], table[:, NEW_AT.index("out_told")]
    assert inside.tolist() == [0.0] * 13 + [1.0, 1.0]
    assert (inside + outside == 1).all()


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("A helper goes between `load` and `save`:", [10, 11, 12]),
        ("Put it between the imports and `LIMIT = 10`:", [1, 2]),
        ("Directly below the `NAMES = [ … ]` list:", [6, 7, 8]),
        ("At the end, after a blank line:", [14]),
        ("and this at the very end of the document:", [14]),
        ("At the top of `store/files.py`:", [0]),
        ("Next to `LIMIT`:", [1, 2, 3]),
        ("It is listed before NAMES, as it is shorter:", [3]),
        ("and as the last two lines of the file", [14]),
        ("Append it at the end of the file (one blank line before it):", [14]),
        ("Below everything:", [14]),
        ("In front of `LIMIT`:", [1, 2]),
        ("Directly after *LIMIT*:", [3]),
        ("It goes between the line that ends in `10` and `NAMES = [`:", [3]),
        ("In front of `save`:", [10, 11, 12]),
        ("Append at the end of the file (one blank line before it):", [14]),
        ("The module needs this, below everything:", [14]),
        ("新函数，加在 `load` 和 `save` 之间：", [10, 11, 12]),
        ("`LIMIT` のすぐ下に:", [3]),
        ("紧跟在 `LIMIT` 的正下方：", [3]),
        ("`LIMIT` 바로 아래에:", [3]),
        ("At the head of `load`:", [9]),
    ],
)
def test_more_ways_to_tell_a_place(prose: str, expected: list[int] | None) -> None:
    assert places_of(told_by(prose).at) == expected


METHODS = """\
class Small {
  add(x) {
    return x;
  }
}

class Large {
  add(x) {
    if (x) {
      return x + 1;
    } else {
      return 0;
    }
  }
}
"""


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("In `Large`, right below its `add()`:", [14]),
        ("In `Small`, after `add`:", [4]),
        ("After `add`:", [4, 14]),
        ("In `Large`, at the top of the last `else`:", [11]),
    ],
)
def test_a_name_is_looked_for_in_what_the_sentence_goes_into(prose: str, expected: list[int]) -> None:
    lines = Lines(lines_of(METHODS))
    declared = {"Small": [(0, 5)], "Large": [(6, 15)], "add": [(1, 4), (7, 14)]}
    assert places_of(PlaceReader(lines, declared).told(prose, frozenset()).at) == expected


def test_a_branch_is_called_by_what_its_first_line_has() -> None:
    lines = Lines(["ready = load()", "if ready:", "    start()", "else:", "    wait()"])
    for prose, inside in (("In the `ready` branch:", [1, 2]), ("In the `else`:", [3, 4]), ("In `ready`:", [0])):
        assert places_of(PlaceReader(lines, {}).told(prose, frozenset()).inside) == inside


def test_what_goes_before_a_title_goes_above_the_line_over_it() -> None:
    lines = Lines(["Text.", "", "*****", " Two", "*****", "", "More.", "-----", "", "Three", "*****"])
    for prose, expected in (('Before "Two":', [1, 2]), ('Before "Three":', [8, 9])):
        assert places_of(PlaceReader(lines, {}).told(prose, frozenset(), first=["*****"]).at) == expected


def test_an_item_is_called_by_what_it_begins_with() -> None:
    shown = ["* `unique`: only once", "* `limit`: not `unique`", "", "If `unique` is set, `unique` jobs", "see unique"]
    lines = Lines(shown)
    assert places_of(PlaceReader(lines, {}).told("Below `unique`:", frozenset()).at) == [1]


def test_the_first_of_two_places_may_be_told_at_length() -> None:
    prose = 'Between the section about limits (the one that ends in "LIMIT = 10") and "NAMES = [":'
    assert places_of(told_by(prose).at) == [3]


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("At the end of `load`:", [10, 11, 12]),
        ("Reset that in `load`, as the last thing it does:", [10, 11, 12]),
        ("At the top of `save`:", [13]),
    ],
)
def test_words_name_an_end_of_a_declaration(prose: str, expected: list[int]) -> None:
    told = told_by(prose)
    assert places_of(told.at) == expected
    assert told.inside is not None


@pytest.mark.parametrize(
    ("prose", "earlier", "expected"),
    [
        ("`load` reads bytes now. Right after that function:", "", [10, 11, 12]),
        ("Above the function:", "In `save`, check first:", [10, 11, 12]),
        ("One more line for `load`; put it at its end:", "", [10, 11, 12]),
        ("Before the function:", "`LIMIT` and `load` are public.", [6, 7, 8]),
    ],
)
def test_words_may_point_at_what_is_named_before(prose: str, earlier: str, expected: list[int]) -> None:
    reader = PlaceReader(Lines(lines_of(ORIGINAL)), {"load": [(8, 10)], "save": [(12, 14)]})
    assert places_of(reader.told(prose, frozenset(), earlier).at) == expected


@pytest.mark.parametrize(
    "prose", ["After that function:", "`other` is new. After that function:", "After the class of it:"]
)
def test_words_that_point_at_nothing_known_tell_no_place(prose: str) -> None:
    reader = PlaceReader(Lines(lines_of(ORIGINAL)), {"load": [(8, 10)]})
    assert reader.told(prose, frozenset({"other"})).at is None


CLASS = """\
class Box {
  fill(size) {
    return size;
  }
}
"""


@pytest.mark.parametrize(
    "prose", ["As the last method of the class:", "One more, at the very end of the class:", "Last in the `Box` block:"]
)
def test_words_name_the_end_of_the_only_class(prose: str) -> None:
    reader = PlaceReader(Lines(lines_of(CLASS)), {"Box": [(0, 5)], "fill": [(1, 4)]})
    assert places_of(reader.told(prose, frozenset()).at) == [4]


def test_of_several_classes_the_end_of_one_that_was_named_is_meant() -> None:
    reader = PlaceReader(Lines([*lines_of(CLASS), "class Bag {", "}"]), {"Box": [(0, 5)], "Bag": [(5, 7)]})
    assert reader.told("As the last method of the class:", frozenset()).at is None
    assert places_of(reader.told("As the last method of the class:", frozenset(), "`Box` gets one more.").at) == [4]


def test_words_point_at_what_the_same_sentence_names() -> None:
    reader = PlaceReader(Lines(lines_of(ORIGINAL)), {"load": [(8, 10)]})
    assert places_of(reader.told("`load` gets a twin, directly below it:", frozenset()).at) == [10, 11, 12]


JOBS = """\
names: [
  "fast",
  "slow",
]
jobs:
  - mode: "fast"
    size: 1
  - mode: "slow"
    size: 2
"""


def test_of_several_lines_with_a_name_those_like_the_snippet_are_meant() -> None:
    told = PlaceReader(Lines(lines_of(JOBS)), {}).told("After the `fast` one:", frozenset(), "", ['- mode: "mild"'])
    assert places_of(told.alike) == [7]
    assert told.at is not None
    assert told.at[7]
    for first in ([], ['- mode: "fast"']):
        plain = PlaceReader(Lines(lines_of(JOBS)), {}).told("After the `fast` one:", frozenset(), "", first)
        assert plain.alike is None


def test_plain_words_may_mean_the_lines_that_are_like_the_snippet() -> None:
    lines = Lines(["use net::ftp::Client;", "use net::scp::Client;", "use net::tls::Client;", "// ftp and scp"])
    near = (
        PlaceReader(lines, {}).told("Between the ftp and scp ones.", frozenset(), "", ["use net::http::Client;"]).near
    )
    assert near is not None
    assert near.argmax() == 1


def test_what_goes_before_a_line_goes_above_its_comments_where_it_has_its_own() -> None:
    lines = Lines(["entries = [", "    # the first one", "    first(1),", "]"])
    told = PlaceReader(lines, {}).told("Before the `first` entry:", frozenset(), "", ["# another", "other(2),"])
    assert places_of(told.at) == [1]


def test_an_item_ends_behind_the_lines_that_continue_it() -> None:
    lines = Lines(["* `one` is what", "goes on here.", "* `two`"])
    assert places_of(PlaceReader(lines, {}).told("Below `one`:", frozenset()).at) == [2]


def test_a_new_item_goes_behind_the_one_that_is_named() -> None:
    new = '- mode: "mild"\n  size: 1\n'
    prose = "One more.\n\nAfter the `slow` entry:"
    found = readings_of(
        lines_of(JOBS), [Snippet(tuple(lines_of(new)), prose=prose)], "yaml", f"{prose}\n", outline(JOBS, "yaml")
    )
    assert "\n".join(found[0].lines) == f'{JOBS}  - mode: "mild"\n    size: 1'


def test_a_new_member_is_indented_as_the_others_of_the_block_that_ends_below_it() -> None:
    new = "empty() {\n  return 0;\n}\n"
    prose = "As the last method of the class:"
    found = readings_of(
        lines_of(CLASS), [Snippet(tuple(lines_of(new)), prose=prose)], "javascript", prose, outline(CLASS, "javascript")
    )
    assert found[0].lines[-4:] == ("  empty() {", "    return 0;", "  }", "}")


@pytest.mark.parametrize(
    ("words", "below", "own"),
    [
        ("after the `b` import, then in `run`", "after the `b` import", " then in `run`"),
        ("The import goes between the two. Next:", "The import goes between the two.", " Next:"),
        ("Then, after `run`:", "", "Then, after `run`:"),
        ("after `run`:", "", "after `run`:"),
        ("That is all.", "", "That is all."),
        ("(sorted in, after `run`)", "sorted in, after `run`", ""),
        ("(after `run`). Then the call:", "after `run`", "Then the call:"),
        ("(so put it above `run`:)", "", "(so put it above `run`:)"),
        ("(after `run`):", "", "(after `run`):"),
        ("(no more `run`)", "", "(no more `run`)"),
    ],
)
def test_words_below_a_snippet_may_say_where_it_goes(words: str, below: str, own: str) -> None:
    assert parted(words) == (below, own)


def test_the_last_words_are_about_the_snippet_above_them() -> None:
    assert parted("\n\nright below the `os` import", is_last=True)[0] == "right below the `os` import"
    context = Context(prose="One more:", behind="right below the `load` function")
    lines = Lines(lines_of(ORIGINAL))
    grid = Grid(lines, rows_of(["x = 1"], lines, "python"), outline(ORIGINAL, "python"), context)
    assert places_of(grid.told.at) == [10, 11, 12]


@pytest.mark.parametrize("prose", ["These two come first:", "Put them first:", "As the first lines:"])
def test_what_comes_first_stands_at_the_top(prose: str) -> None:
    assert places_of(told_by(prose).at) == [0]


def test_what_comes_first_in_something_named_does_not() -> None:
    assert places_of(told_by("In `load`, this comes first:").at) is None


def test_a_note_in_the_snippet_tells_the_place_of_the_rows_below_it() -> None:
    shown = ["# after load", "def stat(path):", "    return path", "# ...", "def last(path):", "    return path"]
    lines = Lines(lines_of(ORIGINAL))
    prose = Context(prose="Before `load`:")
    grid = Grid(lines, rows_of(shown, lines, "python"), outline(ORIGINAL, "python"), prose)
    told = [places_of(one.at) for one in grid.told_by_row]
    assert told == [[10, 11, 12], [10, 11, 12], [10, 11, 12], [6, 7, 8], [6, 7, 8], [6, 7, 8]]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("In `load`, instead of `return open(path)`:", ["return open(path)"]),
        ("Replace `a` and `b` with `c`:", ["a", "b"]),
        ('The "old limit" line is replaced by:', ["old limit"]),
        ("Statt `LIMIT`:", ["LIMIT"]),
        ("Use `a` with `b`:", []),
    ],
)
def test_words_say_what_is_replaced(sentence: str, expected: list[str]) -> None:
    assert list(replaced_in(sentence)) == expected


def test_lines_that_words_say_are_replaced() -> None:
    assert told_by("Nothing of it.").replaced is None
    replaced = told_by("In `load`, instead of `return open(path)`:").replaced
    assert replaced is not None
    assert np.nonzero(replaced)[0].tolist() == [9]
    declared = told_by("`load` changes. Instead of `load`:").replaced
    assert declared is not None
    assert np.nonzero(declared)[0].tolist() == [8, 9]
    names = told_by("In place of `NAMES`:").replaced
    assert names is not None
    assert np.nonzero(names)[0].tolist() == [3, 4, 5]


def test_what_is_replaced_counts_for_what_changes_goes_and_is_new_there() -> None:
    lines = Lines(lines_of(ORIGINAL))
    prose = Context(prose="Instead of `return open(path)`:")
    grid = Grid(lines, rows_of(["    return path.open()"], lines, "python"), outline(ORIGINAL, "python"), prose)
    pairs = grid.pairs[0]
    told = dict(zip(pairs.lines.tolist(), pairs.features[:, [LIKE_REPLACED, LIKE_REPLACED_NOT]].tolist(), strict=True))
    assert told[9] == [1, 0]
    assert told[13] == [0, 1]
    column = grid.deleted_lines[:, DELETED_LINE.index("deleted_replaced")]
    assert (column[9], column[10]) == (0, 1)
    table = NewLines(grid).table(0)[:, NEW_AT.index("at_replaced")]
    assert np.nonzero(table)[0].tolist() == [9, 10]


def test_a_quote_that_ends_in_a_sign_may_go_on_as_a_word() -> None:
    lines = Lines(["- ``loop://``", "", "- ``spy://port``", "- ``alt://port``"])
    near = PlaceReader(lines, {}).told("In the list, behind `alt://`:", frozenset()).near
    assert near is not None
    assert int(near.argmax()) == 4


def test_the_end_of_a_block_lies_before_what_closes_it() -> None:
    told = PlaceReader(Lines(["f() {", "  a()", "}", "b()"]), {"f": [(0, 3)]}).told("At the end of `f`:", frozenset())
    assert places_of(told.at) == [2]


def test_a_path_that_a_line_has_is_a_place() -> None:
    lines = Lines(["import (", '\t"x/internal/config"', '\t"x/internal/prompter"', ")"])
    assert places_of(PlaceReader(lines, {}).told("After `internal/config`:", frozenset()).at) == [2]
    assert PlaceReader(lines, {}).told("After `internal/other`:", frozenset()).at is None


VERSIONS = ["classifiers = [", '  "Python :: 3.12",', '  "Python :: 3.13",', "]", "Website: x", "Category: y"]


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("These go after 3.12:", [2]),
        ("Between Website and Category:", [4, 5, 6]),
        ("Just above the website line:", [4]),
        ("We changed 3.12:", []),
    ],
)
def test_plain_words_may_mean_a_place(prose: str, expected: list[int]) -> None:
    told = PlaceReader(Lines([*VERSIONS[:4], VERSIONS[4].lower(), VERSIONS[5]]), {}).told(prose, frozenset())
    assert told.at is None
    assert (places_of(told.near > 0) if told.near is not None else []) == expected


def test_words_that_may_mean_many_lines_say_less() -> None:
    told = PlaceReader(Lines(["a: path", "b", "c: path", "d: other"]), {}).told("Below path or other:", frozenset())
    assert told.near is not None
    assert (told.near[1], told.near[4]) == (0.5, 0.75)  # a word of two lines, and one further off


def test_places_that_may_be_meant_are_told_from_others() -> None:
    lines = Lines(VERSIONS)
    rows = rows_of(['  "Python :: 3.14",'], lines, "")
    grid = Grid(lines, rows, outline("\n".join(VERSIONS), ""), Context(prose="After 3.13:"))
    table = grid.new.table(0)
    assert table[:, NEW_AT.index("at_meant")].tolist() == [0, 0, 0, 1, 0, 0, 0]
    assert table[:, NEW_AT.index("off_meant")].tolist() == [1, 1, 1, 0, 1, 1, 1]


MODEL = """\
class Model:
    def has_many(self, name):
        return self.add("many", name)

    def has_one(self, name):
        return self.add("one", name)
"""
NEW = """\
    def references_many(self, name):
        return self.add("references", name)
"""


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("The rest is fine.\n\nThen add the method, following `has_many`:", Intent(1, 0, 1)),
        ("`has_many` becomes", Intent(0, 1, 0)),
        ("Füge danach die Methode hinzu:", Intent(1, 0, 0)),
        ("Y después de `has_many`:", Intent(0, 0, 1)),
        ("`add` is used everywhere. In `load`:", Intent()),
        ("", Intent()),
    ],
)
def test_the_last_sentence_tells_the_intent(prose: str, expected: Intent) -> None:
    assert intent_of(prose) == expected


@pytest.mark.parametrize(
    ("prose", "asks"),
    [
        ("at the end, after a blank line:", True),
        ("am Ende, nach einer Leerzeile:", True),
        ("with no blank line between them:", False),
        ("remove the blank line above it:", False),
        ("in `blank_line`:", False),
    ],
)
def test_blank_lines_that_words_ask_for(prose: str, asks: bool) -> None:
    assert asks_blanks(prose) == asks


def readings(original: str, snippet: str, prose: str, weights: dict[str, float]) -> list[Reading]:
    shown = [Snippet(tuple(lines_of(snippet)), prose=prose)]
    found = outline(original, "python")
    return readings_of(lines_of(original), shown, "python", prose, found, known_weights=WEIGHTS | weights)


def test_an_announced_addition_is_a_fact_of_each_change_and_each_new_row() -> None:
    grid = grid_of(MODEL, NEW, context=Context(prose="Then add this method:"))
    header = grid.pairs[0]
    changes = header.features[header.features[:, LIKE] == 1]
    assert len(changes) > 1
    assert changes[:, SAID_ADDS].all()
    assert not changes[:, SAID_PLACED].any()
    assert (changes[:, SAID_ADDS_OTHER] == changes[:, IDENTITY_OTHER]).all()
    assert grid.new.row(0)[NEW_SAID_ADDS] == 1
    assert grid.deleted_lines[-1][DELETED_LINE.index("deleted_said_adds")] == 5
    silent = grid_of(MODEL, NEW)
    assert not silent.pairs[0].features[:, SAID_ADDS].any()


def test_a_blank_line_that_is_asked_for_is_one_of_the_readings() -> None:
    original = "import os\nrun(os)\n"
    weights = {"blanks_told": 5.0, "near_at_told": 4.0, "far_at_told": 4.0}
    asked = readings(original, "stop(os)", "At the end, after a blank line:", weights)[0]
    assert asked.lines == ("import os", "run(os)", "", "stop(os)")
    assert asked.features()[NAMES.index("blanks_told")] == 1
    plain = readings(original, "stop(os)", "At the end:", weights)[0]
    assert plain.lines == ("import os", "run(os)", "stop(os)")
