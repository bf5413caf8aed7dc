"""The lines that a row is compared with: by a beginning, a branch, parts of words, what stands around them."""

from __future__ import annotations

import numpy as np
import pytest

from fastedit.anchor.lazy.features import PAIR
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.search.candidates import MAX_LIKE, chain_span
from fastedit.anchor.lazy.search.loose import begins
from support.aligning import grid_of


def found(original: str, shown: str, row: int = 0, language: str = "python") -> set[tuple[int, int, bool]]:
    """(first line, number of lines, whether its bytes win) of all that a row may stand for."""
    pairs = grid_of(original, shown, language).pairs[row]
    return set(zip(pairs.lines.tolist(), pairs.spans.tolist(), pairs.is_loose, strict=True))


def values_of(original: str, shown: str, line: int, span: int) -> dict[str, float]:
    """The features of the first row's change of a line, those that aren't 0."""
    pairs = grid_of(original, shown, "python").pairs[0]
    at = np.nonzero((pairs.lines == line) & (pairs.spans == span) & ~np.array(pairs.is_loose))[0][0]
    return {name: float(value) for name, value in zip(PAIR, pairs.features[at], strict=True) if value}


@pytest.mark.parametrize(
    ("original", "shown"),
    [
        ("else if (isOpen(door)) {", "else {"),
        ("else {", "else if (isOpen(door)) {"),
        ("} else {", "} else if (isOpen(door)) {"),
        ("elif is_open(door):", "else:"),
        ("else:", "elif is_open(door):"),
        ("/**", "/*"),
        ("/*", "/**"),
        ("return total", "return"),
        ("'''", '"""'),
    ],
)
def test_a_line_without_words_of_its_own_may_change_another(original: str, shown: str) -> None:
    assert (0, 1, False) in found(f"{original}\n", shown, language="")


def test_brackets_alone_are_no_beginning() -> None:
    assert found("}, rest);\n)\n", "}", language="javascript") == set()


def test_a_trivial_line_may_lack_its_comment() -> None:
    assert (0, 1, True) in found("} else { // the door is closed\n", "} else {", language="javascript")


def test_a_line_that_goes_on_is_found_though_its_words_are_common() -> None:
    original = "".join(f"- {name} doors\n" for name in map(str, range(300))) + "- doors, {}, {}, windows(all)\n"
    assert (300, 1, True) in found(original, "- doors, {}, {},", language="text")
    original = "- Oak\n- Elm\n"
    assert (0, 1, False) in found(
        original, "- Oak (both the red one and the white one from the north)", language="markdown"
    )


@pytest.mark.parametrize(
    ("start", "text", "is_one"), [("a b", "a b c", True), ("a b", "a bc", False), ("a_b", "a_b_c", False)]
)
def test_a_text_begins_with_whole_words(start: str, text: str, is_one: bool) -> None:
    assert begins(start, text) is is_one


def test_parts_of_words_tell_where_whole_ones_do_not() -> None:
    assert (1, 1, False) in found("# Uses\n# Oak Door Handle\n", "# makeOakDoorHandle", language="markdown")
    assert (0, 1, False) in found(".door__handle {\n}\n", ".handle {", language="css")


def test_of_lines_as_like_those_with_equal_neighbours_are_found() -> None:
    blocks = [f"bind(Tree{number}, function() {{\n  wait({number});\n}});\n" for number in range(MAX_LIKE + 20)]
    last = 3 * (MAX_LIKE + 15)
    shown = f"bind(Bush, function() {{\n  wait({MAX_LIKE + 15});\n}});"
    assert (last, 1, False) in found("".join(blocks), shown, language="javascript")
    assert (0, 1, False) in found("".join(blocks), shown, language="javascript")


def test_a_statement_may_be_wrapped_over_another_number_of_lines() -> None:
    original = "door = Door(width=3, height=7,\n            color=None)\nclose(door)\n"
    values = values_of(original, "door = Door(\n    width=3,\n    height=7,\n    color=None,\n)", 0, 2)
    assert values["several"] == values["like"] == values["like_opens"] == values["identity_same"] == 1
    assert values["like_by"] == 0.5
    assert (0, 2, False) not in found(original, "door = Gate(\n    wings=[\n        left,\n    ]\n)")


def test_a_statement_that_opens_as_a_row_begins_may_be_written_in_one_line() -> None:
    original = "x = [\n  door\n  if (\n    door.is_open()\n    or door.is_new()\n  )\n]\n"
    assert (2, 4, False) in found(original, "  if (door.is_open() and door.is_new())")
    original = "}, [\n  door,\n  window,\n  door.handle\n]);\n"
    assert (0, 5, False) in found(original, "}, [door, window]);", language="typescript")


def test_a_chain_of_calls_is_a_statement() -> None:
    lines = Lines(["door", "  .open()", "  .paint(red);", "close()"])
    assert [chain_span(lines, line) for line in (0, 1, 3)] == [3, 1, 1]
    values = values_of("door.open().paint();\n", "door\n  .open()\n  .paint(red);", 0, 1)
    assert values["like"] == values["like_opens"] == 1
    assert (0, 3, False) in found("door\n  .open()\n  .paint(red);\n", "door.open().paint(green);", language="rust")
