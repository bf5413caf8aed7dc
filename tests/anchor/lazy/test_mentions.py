"""The names in a message's words, the lines that they name, and what the words say of them."""

from __future__ import annotations

import numpy as np
import pytest

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.words import mentions
from fastedit.anchor.lazy.words.mentions import (
    CODE_BREAK,
    NAME_TOKEN,
    ROLES,
    TOKEN_FACTS,
    lines_of,
    mention_tokens,
    mentioned,
    mentions_in,
)

FILE = Lines(
    [
        "import os",
        "",
        "class Store:",
        "    limit = 3.12",
        "    def load(self):",
        "        return telemetry.read()",
        "",
        "    def _old(self):",
        "        return 1",
    ]
)
PIECES = ["Put `save` below load_all, `load` stays; the telemetry, 3.12 and notes.md too:", "`_old` goes."]
SNIPPETS = [["def save(self):", "    load_all()"]]


def test_names_are_quotes_code_and_rare_words_of_the_file() -> None:
    found = mentions_in(PIECES, SNIPPETS, FILE)
    assert [one.text for one in found] == ["save", "load_all", "load", "telemetry", "3.12", "_old"]
    assert [one.piece for one in found] == [0, 0, 0, 0, 0, 1]
    assert [one.text for one in found if one.in_file] == ["load", "telemetry", "3.12", "_old"]
    assert [one.text for one in found if one.is_plain] == ["telemetry"]
    assert all(one.text in PIECES[one.piece][one.start : one.end] for one in found)


def test_common_words_name_nothing() -> None:
    common = Lines(["the import stays", "method = 1"])
    assert not mentions_in(["The import of this method stays."], [[]], common)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("load", [4]),
        ("load()", [4]),
        ("Store.load", [4]),
        ("3.12", [3]),
        ("3.1", []),
        ("import os", [0]),
        ("return 1", [8]),
        ("def _old", [7]),
        ("nothing", []),
    ],
)
def test_a_name_means_lines(text: str, lines: list[int]) -> None:
    (found,) = mentions_in([f"`{text}`"], [[]], FILE)
    assert list(lines_of(found, FILE, 5)) == lines


def test_a_name_that_begins_with_a_sign_means_lines_too() -> None:
    file = Lines(["#include <a>", "#include <atomic>"])
    (found,) = mentions_in(["`<atomic>`"], [[]], file)
    assert list(lines_of(found, file, 5)) == [1]


def test_many_lines_are_none() -> None:
    (found,) = mentions_in(["`self`"], [[]], FILE)
    assert list(lines_of(found, FILE, 2)) == [4, 7]
    assert list(lines_of(found, FILE, 1)) == []


def test_words_and_names_are_tokens() -> None:
    found = mentions_in(PIECES, SNIPPETS, FILE)
    tokens = mention_tokens(found, PIECES, SNIPPETS)
    assert tokens.facts.shape == (len(tokens.buckets), len(TOKEN_FACTS))
    assert len(tokens.at) == len(found)
    assert (tokens.buckets[tokens.at] == NAME_TOKEN).tolist() == [not one.is_plain for one in found]
    assert list(tokens.buckets).count(CODE_BREAK) == len(PIECES)
    shown = tokens.facts[tokens.at, TOKEN_FACTS.index("shown_first")]
    assert [one.text for one, first in zip(found, shown, strict=True) if first] == ["save"]
    # A number is any number, and a sign of a script without spaces is a word.
    numbers = [mention_tokens([], [text], [[]]).buckets.tolist() for text in ("line 7", "line 12")]
    assert numbers[0] == numbers[1]
    assert len(mention_tokens([], ["削除する"], [[]]).buckets) == 5


def test_very_long_words_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mentions, "MAX_TOKENS", 4)
    found = mentioned(PIECES, SNIPPETS, FILE)
    assert len(found.mentions) == len(found.chances) == 6
    assert found.chances[0].sum() == pytest.approx(1, abs=1e-4)
    assert not found.chances[-1].any()


@pytest.mark.parametrize(
    ("words", "roles"),
    [
        ("Drop `_old`, nothing calls it any more.", {"_old": "gone"}),
        ("`_old` is gone; `load` stays as it is.", {"_old": "gone", "load": "stays"}),
        ("Add `save` right after `load`:", {"save": "new", "load": "after"}),
        ("Add `save` right before `load`:", {"save": "new", "load": "before"}),
        ("Replace `_old` with `save`:", {"_old": "old", "save": "new"}),
        ("`_old` fällt weg.", {"_old": "gone"}),
    ],
)
def test_words_tell_what_becomes_of_names(words: str, roles: dict[str, str]) -> None:
    found = mentioned([words, ""], SNIPPETS, FILE)
    likeliest = [ROLES[at] for at in np.argmax(found.chances, axis=1)]
    assert dict(zip((one.text for one in found.mentions), likeliest, strict=True)) == roles
