"""What comparing lines needs."""

from __future__ import annotations

import pytest

from fastedit.lines import columns_of, is_trivial, key_of


def test_keys_are_blind_to_white_space_alone():
    assert key_of("  a = b ( c )\t") == key_of("a=b(c)") == "a=b(c)"
    assert key_of("a = B") != key_of("a = b")


@pytest.mark.parametrize(("line", "columns"), [("x", 0), ("   x", 3), ("\tx", 4), ("  \tx", 4), ("\t  x", 6)])
def test_columns(line: str, columns: int):
    assert columns_of(line) == columns


@pytest.mark.parametrize("line", ["}", "});", "else:", "} else {", "return", "return None", "fi", "12", "/**", ""])
def test_what_says_too_little_to_find_a_place_by(line: str):
    assert is_trivial(key_of(line))


@pytest.mark.parametrize("line", ["ending = 1", "final()", "return total", "case 1:", "1234", "<p>", "elsewhere"])
def test_what_says_enough(line: str):
    assert not is_trivial(key_of(line))
