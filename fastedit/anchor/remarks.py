"""Comments of a snippet that the original doesn't have: new code, or words about the original?

`// preview` in JSON, `/* next_token() */` above a fragment, `// right after subVectors(a, b)` and
`# django/forms/fields.py - DecimalField` aren't code. They either name what they stand for or say
where what follows belongs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from fastedit.edits.lazy import LineKind, SnippetLine
from fastedit.syntax import comment_syntax

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_POSITION = re.compile(
    r"^(?:(?:goes|belongs|insert|add|put|place|new)\s+)?(?:right |directly |just |immediately |goes )*"
    r"(?:(?P<before>before|above|in front of)|(?P<behind>after|below|under|behind|next to|beside)|inside|in)\s+"
    r"[`'\"]?(?P<name>[A-Za-z_$#][\w$.#]*)",
    re.IGNORECASE,
)
# Words in brackets stand for what is left out; in parentheses only those that say so, or that the original has.
_PARENTHESISED = re.compile(r"^\(.*\)$")
_BRACKETED = re.compile(
    r"^(?:\[[^\[\](){}\"=]*\]|<[^<>(){}\"=]*>"
    r"|\(.*\b(?:unchanged|same|rest|existing|before|now|as is|stays?|omitted|elided|skipped|snip|kept?|other|others"
    r"|remaining|untouched|left|more|body|code|imports?|methods?|functions?|fields|tests|cases)\b.*\))$",
    re.IGNORECASE,
)
_PATH = re.compile(
    r"^(?:in\s+)?[`'\"]?[\w.@~/-]*(?:/[\w.@-]+)+\.\w{1,6}\b|^[\w-]+\.(?:py|js|ts|tsx|jsx|go|rs|java|c|h|cc|cpp|cs|rb|php|kt|swift|sh)\b"
)
_NAME_ALONE = re.compile(
    r"^(?:(?:in|the|class|def|fn|func|function|method)\s+)*[`'\"]?(?P<name>[A-Za-z_$#][\w$.:#]*)(?:\([^)]*\))?[`'\"]?(?:\s+(?:method|function|class))?:?$"
)
_PLAIN_WORDS = re.compile(r"^[\w$'`.-]+(?:(?:\s*,\s*|\s+and\s+|\s+to\s+|\s*-\s*)[\w$'`.-]+)*$")
_GONE = re.compile(r"\b(?:removed|deleted|dropped|gone|is no more|no longer here)\b", re.IGNORECASE)
MAX_REMOVAL_WORDS = 10
_COMMENTLESS = frozenset({"json"})
MARKUP = frozenset({"html", "vue", "svelte", "xml"})


class Position(NamedTuple):
    """The name of a declaration that a remark places code beside; is_before: in front of it, not behind."""

    name: str
    is_before: bool


class Vocabulary:
    """The words of a text, in lower case."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    @cached_property
    def _rows(self) -> list[frozenset[str]]:
        return [frozenset(found.lower() for found in _WORD.findall(line)) for line in self._lines]

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset().union(*self._rows)

    def has(self, word: str) -> bool:
        """Whether the word stands in the text."""
        return word in self._words

    def has_together(self, words: Iterable[str]) -> bool:
        """Whether all of the words stand in one line."""
        wanted = frozenset(words)
        return any(wanted <= row for row in self._rows)


def position_of(note: str) -> Position | None:
    """The place beside a declaration that the remark tells, or None where it tells none."""
    found = _POSITION.match(note)
    if found is None or not (found.group("before") or found.group("behind")):
        return None
    return Position(found.group("name"), found.group("before") is not None)


def home_of(note: str) -> str | None:
    """The name of the declaration that code below the remark is a part of (`// next_token()`), or None."""
    found = _NAME_ALONE.match(note) or _POSITION.match(note)
    if found is None or position_of(note) is not None:
        return None
    words = _WORD.findall(found.group("name"))
    return words[-1] if words else None


def resolve_remarks(
    lines: list[SnippetLine], language: str, names: Callable[[str], bool], vocabulary: Vocabulary
) -> list[SnippetLine]:
    """The lines with every REMARK made a MARKER or CODE.

    names: whether the original declares that name. vocabulary: of the original.
    """
    openings = (*comment_syntax(language).line, *(opening for opening, _ in comment_syntax(language).block))

    def kind(index: int, line: SnippetLine) -> LineKind:
        code = line.text.lstrip()
        if code.startswith("#[") or (openings and not code.startswith(openings)):
            return LineKind.CODE  # a comment elsewhere: an attribute, a directive, a private name
        return _kind(line.note, index, lines, language, names, vocabulary)

    return [
        replace(line, kind=kind(index, line)) if line.kind is LineKind.REMARK else line
        for index, line in enumerate(lines)
    ]


def _kind(
    note: str,
    index: int,
    lines: list[SnippetLine],
    language: str,
    names: Callable[[str], bool],
    vocabulary: Vocabulary,
) -> LineKind:
    named = [word for word in _WORD.findall(note) if names(word)]
    if named and _GONE.search(note) and len(note.split()) <= MAX_REMOVAL_WORDS:
        return LineKind.REMOVAL
    if language in _COMMENTLESS or (_is_bracketed(note, vocabulary) and _is_alone(index, lines)):
        return LineKind.MARKER
    if named and _PLAIN_WORDS.match(note) and _is_alone(index, lines) and _are_all_named(note, named):
        return LineKind.MARKER
    position = _POSITION.match(note)
    if position and names(position.group("name")):
        return LineKind.MARKER
    alone = _NAME_ALONE.match(note)
    if alone and names(alone.group("name")) and _is_alone(index, lines):
        return LineKind.MARKER
    is_first = not any(line.kind is not LineKind.BLANK for line in lines[:index])
    if is_first and _PATH.match(note):
        return LineKind.MARKER
    if language in MARKUP and _PLAIN_WORDS.match(note) and _stands_alone_in_markup(note, vocabulary):
        return LineKind.MARKER
    return LineKind.CODE


def _are_all_named(note: str, named: list[str]) -> bool:
    return set(_WORD.findall(note)) - set(named) <= {"and", "to", "or"}


def _is_alone(index: int, lines: list[SnippetLine]) -> bool:
    """Whether the comment is one line, not part of a longer comment."""
    before = lines[index - 1].kind if index else LineKind.BLANK
    after = lines[index + 1].kind if index + 1 < len(lines) else LineKind.BLANK
    return before is not LineKind.REMARK and after is not LineKind.REMARK


def _is_bracketed(note: str, vocabulary: Vocabulary) -> bool:
    if _BRACKETED.match(note):
        return True
    words = [word.lower() for word in _WORD.findall(note)]
    return _PARENTHESISED.match(note) is not None and len(words) > 1 and vocabulary.has_together(words)


def _stands_alone_in_markup(note: str, vocabulary: Vocabulary) -> bool:
    return all(vocabulary.has(word.lower()) for word in _WORD.findall(note) if word.lower() not in ("and", "to"))
