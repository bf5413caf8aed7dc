"""What a snippet's lines are, seen beside the original: markers, comments that sound like one, dots that are quoted."""

from __future__ import annotations

import pytest

from fastedit.anchor.reading import read_lines
from fastedit.anchor.text import LineTable
from fastedit.anchor.units import UnitTree
from fastedit.edits.lazy import LineKind
from fastedit.syntax import outline

ORIGINAL = '''def area(radius):
    """The area.

    >>> for r in 1, 2:
    ...     area(r)
    ...
    3
    """
    # flush the whole queue at once
    return radius**2
'''


def kinds(code: str) -> list[LineKind]:
    original = UnitTree(LineTable(ORIGINAL.split("\n"), "python"), outline(ORIGINAL, "python"))
    return [line.kind for line in read_lines(code.split("\n"), original, "python")]


@pytest.mark.parametrize(
    ("comment", "kind"),
    [
        ("# (rest of the code)", LineKind.MARKER),
        ("# (as before)", LineKind.MARKER),
        ("# (flush the queue)", LineKind.MARKER),
        ("# (with another format)", LineKind.CODE),
        ("# ('\\}', Punctuation)", LineKind.CODE),
        ("# [the loop]", LineKind.MARKER),
        ("# ['a', \"b\"]", LineKind.CODE),
    ],
)
def test_comments_in_brackets(comment: str, kind: LineKind):
    assert kinds(f"x = 1\n{comment}\ny = 2")[1] is kind


def test_prose_that_ends_like_a_marker_is_a_comment():
    assert kinds("# Both are read here, for the second is the same\n# model under another name.\nx = 1") == [
        LineKind.CODE,
        LineKind.CODE,
        LineKind.CODE,
    ]
    assert kinds("# the rest of the code stays the same\nx = 1")[0] is LineKind.MARKER


def test_prose_that_tells_of_a_removal_is_a_comment():
    code = (
        "# The key is read here, for the entry is\n# removed from the cache when its type goes away. This\n# may fail."
    )
    assert kinds(code)[1] is LineKind.CODE
    assert kinds("x = 1\n# removed from the cache: area\ny = 2")[1] is LineKind.REMOVAL


def test_dots_that_a_docstring_has_are_quoted():
    assert kinds('    """The area of a circle.\n\n    ...     area(r)\n    ...\n    3\n    """')[3] is LineKind.CODE
    assert kinds('    """The area of a circle.\n\n    >>> area(1)\n    ...\n    """')[3] is LineKind.MARKER
    assert kinds("def area(radius):\n    ...\n    return radius")[1] is LineKind.MARKER
