"""The ways in which snippets are careless, one by one."""

from __future__ import annotations

import random

import pytest

from fastedit.training.synthesis import Splice, make_change
from fastedit.training.synthesis.document import Document, read_document
from fastedit.training.synthesis.rendering import abridge, drift
from fastedit.training.synthesis.rendering.page import Page, page_of
from fastedit.training.synthesis.rendering.snippet import FenceLine

TEXT = """\
class Box:
    def put(
        self,
        thing,
        label=None,
    ):
        \"\"\"Put a thing into the box.\"\"\"
        self.things.append(thing)  # the lid stays open
        # Counting is done here, not by whoever calls this method.
        self.count   =   self.count + 1
        return self.count
"""


@pytest.fixture
def page() -> Page:
    document = read_document("box.py", "python", TEXT)
    assert document is not None
    change = make_change(document, [Splice(10, 10, ("        self.check()",))], "insert")
    assert change is not None
    return page_of(change, range(len(change.after.lines)))


def pieces(page: Page) -> list[FenceLine]:
    return [FenceLine(line, number) for number, line in enumerate(page.change.after.lines)]


def texts(found: list[FenceLine] | None) -> list[str]:
    assert found is not None
    return [piece.text for piece in found]


def document_of(page: Page) -> Document:
    return page.change.after


def test_a_trailing_comment_is_dropped(page: Page) -> None:
    line = document_of(page).lines[7]
    assert drift.droppable_comment(document_of(page), line) == "        self.things.append(thing)"
    assert drift.droppable_comment(document_of(page), document_of(page).lines[8]) is None


def test_inner_spaces_are_folded(page: Page) -> None:
    assert drift.other_spacing(document_of(page), "    a   =  b") == "    a = b"
    assert drift.other_spacing(document_of(page), "    f( a, b )") == "    f(a, b)"
    assert drift.other_spacing(document_of(page), "    a = b") is None


def test_a_long_comment_is_cut_short(page: Page) -> None:
    cut = drift.shortened_comment(document_of(page), document_of(page).lines[8])
    assert cut == "        # Counting is done here, ..."


def test_stray_space_is_at_the_end(page: Page) -> None:
    assert drift.trailing_space(document_of(page), "    a = b") == "    a = b  "


def test_a_header_of_several_lines_is_joined(page: Page) -> None:
    found = texts(abridge.joined_header(page, pieces(page), random.Random(1)))
    assert found[1] == "    def put(self, thing, label=None):"
    assert found[2] == '        """Put a thing into the box."""'


def test_the_parameters_of_a_long_header_are_a_marker(page: Page) -> None:
    found = texts(abridge.elided_parameters(page, pieces(page), random.Random(1)))
    assert found[1] == "    def put("
    assert found[3] == "    ):"
    assert found[2].startswith("        #")


def test_a_docstring_is_elided(page: Page) -> None:
    found = texts(abridge.elided_docstring(page, pieces(page), random.Random(1)))
    assert "Put a thing" not in "".join(found)
    assert found[7] == "        self.things.append(thing)  # the lid stays open"


def test_shared_indentation_goes(page: Page) -> None:
    inner = [piece for piece in pieces(page) if piece.text.startswith("        ")]
    assert texts(drift.flush_left(page, inner, random.Random(1)))[0] == "self,"
    assert drift.flush_left(page, pieces(page), random.Random(1)) is None


def test_levels_are_written_in_another_unit(page: Page) -> None:
    found = texts(drift.other_unit(page, pieces(page), random.Random(2)))
    assert found[7].startswith(("    self", "\t\tself"))


def test_a_new_line_between_two_levels_keeps_the_unit(page: Page) -> None:
    document = read_document("box.py", "python", TEXT)
    assert document is not None
    change = make_change(document, [Splice(8, 8, ("          # three columns off",))], "insert")
    assert change is not None
    odd = page_of(change, range(len(change.after.lines)))
    assert drift.other_unit(odd, pieces(odd), random.Random(2)) is None


def test_mere_respacing_is_told_from_a_change() -> None:
    assert drift.is_respacing(["call(one, two)"], ["call(", "    one, two", ")"])
    assert drift.is_respacing(["    keep(this)"], ["keep(this)"])
    assert not drift.is_respacing(["keep(this)"], ["if ready:", "    keep(this)"])
    assert not drift.is_respacing(["keep(this)"], ["keep(that)"])
    assert not drift.is_respacing([], ["keep(that)"])


WRAPPED = """\
def load(path):
    first = open_it(path)
    second = read_it(first)
    third = parse_it(second)
    fourth = check_it(third)
    return keep_it(fourth)
"""


def test_the_inside_of_a_wrapped_block_is_elided() -> None:
    document = read_document("load.py", "python", WRAPPED)
    assert document is not None
    lines = document.lines[1:6]
    wrapped = ("    try:", *("    " + line for line in lines), "    except OSError:", "        return None")
    change = make_change(document, [Splice(1, 6, wrapped)], "wrap")
    assert change is not None
    whole = page_of(change, range(len(change.after.lines)))
    found = texts(abridge.elided_wrap(whole, pieces(whole), random.Random(1)))
    assert found[2:5] == [
        "        first = open_it(path)",
        "        # ... existing code ...",
        "        return keep_it(fourth)",
    ]


def test_a_locator_names_the_function_that_is_not_shown() -> None:
    document = read_document("load.py", "python", WRAPPED)
    assert document is not None
    change = make_change(document, [Splice(3, 3, ("    log(second)",))], "insert")
    assert change is not None
    inner = page_of(change, [2, 3, 4])
    shown = [FenceLine(change.after.lines[number], number) for number in (2, 3, 4)]
    found = texts(abridge.locator_comment(inner, shown, random.Random(1)))
    assert "load" in found[0]
    assert found[1:] == [piece.text for piece in shown]
