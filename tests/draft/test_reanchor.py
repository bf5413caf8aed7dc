from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.draft.reanchor import Lost, find_anchor

SOURCE = b"""def first(a, b):
    total = a + b
    return total


def second(a):
    check(a)
    return total


def third():
    pass
"""


def lost(left_behind: bytes, written: bytes, refused: bytes = b"", boundaries: tuple[bytes, ...] = ()) -> Lost:
    """The target followed SOURCE to the end of `left_behind`, then wrote `written` where SOURCE has `refused`."""
    floor = SOURCE.index(left_behind) + len(left_behind)
    assert SOURCE.startswith(refused, floor)
    output = SOURCE[:floor] + written
    *before, line = output.split(b"\n")
    return Lost(
        source=SOURCE,
        floor=floor,
        refused_end=floor + len(refused),
        line=line,
        written=written,
        previous_line=before[-1] if before else b"",
        boundaries=tuple(SOURCE.index(start) for start in boundaries),
    )


def rest(case: Lost) -> bytes | None:
    anchor = find_anchor(case)
    return None if anchor is None else SOURCE[anchor.offset :]


@pytest.mark.parametrize(
    ("case", "goes_on"),
    [
        # the same text in other tokens
        (lost(b"total = a", b" + ", b" +"), b"b\n    return"),
        # an argument was inserted
        (lost(b"first(a, b", b", c=3):\n", b"):"), b"    total = a"),
        # lines were inserted before a line
        (lost(b"a + b\n", b"    log(a)\n    return", b"    return"), b" total\n\n\ndef second"),
        # lines were skipped: the line begins like a later one
        (lost(b"first(a, b):\n    ", b"return tot", b"total"), b"al\n\n\ndef second"),
        # a whole function was skipped
        (lost(b"total\n\n\n", b"def third", b"def second"), b"():\n    pass"),
        # a word was replaced
        (lost(b"total = ", b"x", b"a"), b" + b"),
    ],
)
def test_goes_on_where_the_text_does(case, goes_on):
    assert rest(case).startswith(goes_on)


def test_never_goes_back():
    """`total = a` stands before the floor only."""
    case = lost(b"def second(a):\n    ", b"total = a", b"check")
    assert rest(case) is None or case.floor <= find_anchor(case).offset


def test_what_stands_in_several_places_is_a_guess():
    anchor = find_anchor(lost(b"first(a, b):\n", b"    return", b"    total"))
    assert anchor is not None
    assert not anchor.is_certain


def test_a_declaration_is_preferred_among_equal_lines():
    source = b"x\ncall(\n  def f\n)\ndef f\nrest"
    case = Lost(source, 2, 2, b"def", b"def", b"x")
    assert find_anchor(case) is None or find_anchor(case).offset == source.rindex(b"def f") + 3
    repeated = b"x\na\ndef f(1)\nb\ndef f(2)\n"
    boundary = repeated.rindex(b"def")
    chosen = find_anchor(Lost(repeated, 2, 2, b"def f", b"def f", b"x", (boundary,)))
    assert chosen.offset == boundary + len(b"def f")


def test_behind_a_blank_line_the_next_declaration_is_expected():
    case = lost(b"a + b\n    return total\n", b"    extra()\n\n", b"\n\n", (b"def first", b"def second", b"def third"))
    assert rest(Lost(**{**fields(case), "line": b"", "previous_line": b""})).startswith(
        (b"def second", b"\ndef second")
    )


def fields(case: Lost) -> dict[str, object]:
    return {name: getattr(case, name) for name in Lost.__slots__}


def test_behind_a_replaced_line_the_next_line_is_expected():
    case = lost(b"    total = a", b" * b\n", b" + b")
    assert rest(case).startswith(b"    return total")


parts = st.lists(st.sampled_from([b"a", b"b", b"  ", b"\n", b"def f", b"(x)", b"\xc3\xa9", b"\xff"]), max_size=30)


@given(source=parts, written=parts, floor=st.integers(0, 60), refused=st.integers(0, 5), line=parts)
def test_an_anchor_is_always_in_the_rest(source, written, floor, refused, line):
    source, written = b"".join(source), b"".join(written) or b"?"
    floor = min(floor, len(source))
    case = Lost(
        source,
        floor,
        min(floor + refused, len(source)),
        (b"".join(line) + written).rpartition(b"\n")[2],
        written,
        b"".join(line).rpartition(b"\n")[2],
        tuple(range(0, len(source), 3)),
    )
    anchor = find_anchor(case)
    assert anchor is None or floor <= anchor.offset <= len(source)
