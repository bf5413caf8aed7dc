"""Patterns that are compiled when first used."""

from __future__ import annotations

import re

import pytest

from fastedit.patterns import pattern


def test_a_pattern_has_what_a_compiled_one_has() -> None:
    made = pattern(r"(?P<word>\w+) (\d+)", re.IGNORECASE)
    found = made.match("Boats 12")
    assert found is not None
    assert (found["word"], found[2]) == ("Boats", "12")
    assert made.flags & re.IGNORECASE
    assert made.sub("-", "a 1, b 2") == "-, -"
    assert [one[0] for one in made.finditer("a 1, b 2")] == ["a 1", "b 2"]


def test_nothing_is_compiled_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = re.compile
    monkeypatch.setattr(re, "compile", lambda text, flags=0: compiled.append(text) or real(text, flags))
    made = pattern("a+")
    assert compiled == []
    assert made.match("aa")
    assert made.search("ba")
    assert compiled == ["a+"]


def test_what_is_no_pattern_is_said_when_it_is_used() -> None:
    broken = pattern("(")
    with pytest.raises(re.error):
        broken.match("(")
