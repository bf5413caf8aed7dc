"""Lines with an elision inside: what is shown is merged into the original's line, what is elided stays."""

from __future__ import annotations

import pytest

from fastedit.anchor.elision import merge_elided


@pytest.mark.parametrize(
    ("shown", "original", "merged"),
    [
        ("def f(a, ..., z):", "def f(a, b, c, z):", "def f(a, b, c, z):"),
        ("def f(a, ..., z=1):", "def f(a, b, c, z):", "def f(a, b, c, z=1):"),
        ("def f(..., z, new):", "def f(a, b, z):", "def f(a, b, z, new):"),
        ("def f(self, ...):", "def f(self, a, b) -> int:", "def f(self, a, b) -> int:"),
        ("async def f(a, ...):", "def f(a, b):", "async def f(a, b):"),
        ("fun f(/* ... */, last: Int)", "fun f(a: Int, b: Int, last: Long)", "fun f(a: Int, b: Int, last: Int)"),
        ("call(first, ..., retries=3)", "call(first, second, retries=2)", "call(first, second, retries=3)"),
        ("def other(q, ..., w):", "class Something(Base):", None),
    ],
)
def test_merging(shown: str, original: str, merged: str | None):
    assert merge_elided(shown, [original]) == (None if merged is None else [merged])


def test_line_breaks_of_the_original_stay():
    original = ["def f(", "    first: int,", "    second: int,", "    last: int,", ") -> None:"]
    assert merge_elided("def f(first: int, ..., last: str) -> None:", original) == [
        "def f(",
        "    first: int,",
        "    second: int,",
        "    last: str,",
        ") -> None:",
    ]


def test_too_long_a_line_is_not_merged():
    assert merge_elided("f(" + "a, " * 1000 + "...)", ["f(" + "a, " * 1000 + "b)"]) is None
