"""Blocks, splices and the rules of reading, on small texts."""

from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from fastedit.training.synthesis import Splice, make_change
from fastedit.training.synthesis.blocks import hidden_lines, read_blocks
from fastedit.training.synthesis.changes.common import Site
from fastedit.training.synthesis.changes.imports import delete_import
from fastedit.training.synthesis.corpus import Pool
from fastedit.training.synthesis.document import Document, read_document
from fastedit.training.synthesis.model import NEW, minimal_splices, origins, spliced
from fastedit.training.synthesis.rendering.page import page_of
from fastedit.training.synthesis.rendering.reader import Reader, Side

TWINS = """\
class One:
    def run(self):
        self.start()
        return self.value

    def stop(self):
        self.value = 1


class Two:
    def run(self):
        self.start()
        return self.value

    def halt(self):
        self.value = 2
"""


def document(text: str, path: str = "twins.py", language: str = "python") -> Document:
    found = read_document(path, language, text)
    assert found is not None
    return found


def test_blocks_follow_the_indentation() -> None:
    lines = ["if a:", "    b()", "", "    c()", "else:", "    d()", "e()"]
    blocks, inside = read_blocks(lines, [False] * len(lines))
    assert [(b.header, b.start, b.end, b.closer, b.previous) for b in blocks] == [(0, 1, 4, 4, -1), (4, 5, 6, -1, 0)]
    assert inside == (-1, 0, 0, 0, -1, 1, -1)


def test_lines_inside_strings_and_comments_are_hidden() -> None:
    lines = ["def f():", '    """Text', "    more", '    """', "    x = '''a''' ", "    y = 1"]
    assert hidden_lines(lines, triple_quotes=True, block_comments=()) == [False, False, True, True, False, False]
    lines = ["/* one", "   two */", "int a; /* b */", "int c;"]
    assert hidden_lines(lines, triple_quotes=False, block_comments=(("/*", "*/"),)) == [False, True, False, False]


@given(st.lists(st.sampled_from("abcde"), max_size=12), st.data())
def test_minimal_splices_mean_the_same(lines: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    new = tuple(data.draw(st.lists(st.sampled_from("abcdefg"), max_size=6)))
    splices = minimal_splices(lines, [Splice(start, end, new)])
    after = spliced(lines, splices)
    assert after == [*lines[:start], *new, *lines[end:]]
    origin = origins(len(lines), splices)
    assert len(origin) == len(after)
    assert all(old == NEW or lines[old] == line for old, line in zip(origin, after, strict=True))
    assert all(one.end < other.start for one, other in pairwise(splices))


def test_mixed_line_ends_make_no_document() -> None:
    assert read_document("a.py", "python", "a = 1\r\nb = 2\n") is None
    assert read_document("a.py", "python", "a = 1\rb = 2\n") is None
    assert document("a = 1\r\nb = 2\r\n").text == "a = 1\r\nb = 2\r\n"


def test_a_change_that_breaks_the_syntax_is_none() -> None:
    assert make_change(document(TWINS), [Splice(1, 2, ("    def run(self:",))], "broken") is None


def doubts(shown: set[int], splices: list[Splice], *, by_order: bool = False) -> list[tuple[int, Side]]:
    change = make_change(document(TWINS), splices, "test")
    assert change is not None
    return [(doubt.run.start, doubt.side) for doubt in Reader(page_of(change, shown), by_order=by_order).doubts()]


def test_a_repeated_anchor_is_in_doubt_until_its_class_is_shown() -> None:
    change = [Splice(11, 11, ("        self.check()",))]
    assert doubts({10, 11, 12}, change) == [(10, Side.TOP), (10, Side.BOTTOM)]
    assert doubts({9, 10, 11, 12}, change) == []


def test_a_name_that_is_unique_pins_its_function() -> None:
    assert doubts({14, 15}, [Splice(15, 16, ("        self.value = 3",))]) == []


def test_order_tells_repeated_anchors_apart_only_where_it_may() -> None:
    splices = [Splice(2, 2, ("        self.check()",)), Splice(6, 7, ("        self.value = 3",))]
    shown = {1, 2, 3, 6, 7}
    assert doubts(shown, splices) != []
    assert doubts(shown, splices, by_order=True) == []


def test_a_replacement_next_to_a_gap_is_in_doubt() -> None:
    shown = {0, 1, 2}
    assert doubts(shown, [Splice(2, 3, ("        self.begin()",))]) == [(0, Side.BOTTOM)]
    assert doubts(shown, [Splice(2, 2, ("        self.begin()",))]) == []


def test_a_stray_comment_ends_no_block() -> None:
    lines = ["class A:", "    x = 1", "#    y = 2", "    z = 3", "# about b", "b = 4"]
    blocks, inside = read_blocks(lines, [False] * len(lines), comments=("#",))
    assert [(block.header, block.start, block.end) for block in blocks] == [(0, 1, 4)]
    assert inside == (-1, 0, 0, 0, -1, -1)


def test_the_lines_of_a_string_belong_to_the_block_that_it_ends() -> None:
    lines = ["def f():", '    return """', "text", '"""', "", "g()"]
    hidden = hidden_lines(lines, triple_quotes=True, block_comments=())
    assert read_blocks(lines, hidden)[0][0].end == 4


def test_a_change_that_leaves_a_header_without_body_is_none() -> None:
    assert make_change(document(TWINS), [Splice(6, 7, ())], "emptied") is None
    assert make_change(document(TWINS), [Splice(2, 3, ())], "shorter") is not None


def test_an_import_that_goes_on_in_the_next_line_is_not_cut() -> None:
    text = "import a\nfrom b import c, \\\n    d\nfrom e import (\n    f,\n)\nimport g\n"
    drawn = {tuple(delete_import(Site(document(text), Pool(), random.Random(seed))) or ()) for seed in range(20)}
    assert drawn == {(Splice(6, 7, ()),)}
