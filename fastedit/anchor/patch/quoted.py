"""Rates how faithfully a patch's line quotes a line of the original.

Models quote from memory: they collapse alignment, change case, drop trailing comments, shorten long lines
with dots. All that is still the same line. Another call, another argument, another name is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz

# How much is left of a line's worth by what differs.
EXACT = 1.0
INDENT_DIFFERS = 0.98
SPACING_DIFFERS = 0.95
CASE_DIFFERS = 0.92
STYLE_DIFFERS = 0.9
COMMENT_DIFFERS = 0.85
IS_SHORTENED = 0.8
MIN_COMMENT_RATIO = 85.0
MIN_COMMENT = 20
MIN_CUT_COMMENT = 12
MIN_CODE_RATIO = 60.0

_LOOK_ALIKES = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "​": None, "﻿": None}
)
_COMMENT = re.compile(r"^(?:#(?:\s|#|$)|//|/\*|\*(?:\s|/|$)|--(?:\s|-|$)|<!--|;(?:\s|;|$)|%(?:\s|%|$)|\"\"\"|\'\'\')")
# A comment behind code. Marks that are operators too need words behind them, or an end of statement before.
_CLOSED_COMMENT = re.compile(r"(?<=\S)\s*(?:/\*.*\*/|<!--.*-->)\s*$")
_OPEN_COMMENT = re.compile(r"(?<=\S)\s+(?P<mark>#|//|--|;)\s+(?P<text>\S.*)$")
_TWO_WORDS = re.compile(r"[A-Za-z]{2,}[,.:]?\s+[A-Za-z(`'\"]")
_STATEMENT_END = (";", "{", "}", ",", ")")
# Not the dots of a spread or of variadic arguments, which stand before a name.
_DOTS = re.compile(r"\.{3,}(?![\w$(\[{])|…")
_MIN_SHORTENED = 8
_COMMENT_END = "./*->"
_WORD = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True)
class Likeness:
    """The likeness of two lines. value: from 0 to 1. is_same: the patch means this very line, however badly quoted."""

    value: float
    is_same: bool


NONE = Likeness(0.0, False)


@lru_cache(maxsize=1 << 16)
def loose_key(line: str) -> str:
    """The line without white space and case, typographic look-alikes made plain."""
    return "".join(line.translate(_LOOK_ALIKES).split()).casefold()


@lru_cache(maxsize=1 << 16)
def weight_of(line: str) -> float:
    """The weight of finding this line: next to nothing for blank lines and brackets, 1 for long ones."""
    key = loose_key(line)
    if not key:
        return 0.02
    if not _WORD.search(key):
        return 0.12
    return min(1.0, 0.3 + len(key) / 30)


def is_comment(line: str) -> bool:
    """Whether the line is nothing but a comment, in any of the usual languages."""
    return bool(_COMMENT.match(line.lstrip()))


@lru_cache(maxsize=1 << 16)
def likeness(quoted: str, original: str) -> Likeness:
    """Rates how alike the two lines are; NONE where they have nothing to do with each other."""
    if quoted == original:
        return Likeness(EXACT, True)
    if quoted.strip() == original.strip():
        return Likeness(INDENT_DIFFERS, True)
    mine, theirs = loose_key(quoted), loose_key(original)
    if not mine or not theirs:
        return NONE
    if mine == theirs:
        same_case = "".join(quoted.split()) == "".join(original.split())
        return Likeness(SPACING_DIFFERS if same_case else CASE_DIFFERS, True)
    if _normal(mine) == _normal(theirs):
        return Likeness(STYLE_DIFFERS, True)
    if _differs_in_comment(quoted, original):
        return Likeness(COMMENT_DIFFERS, True)
    if _is_shortened(mine, theirs):
        return Likeness(IS_SHORTENED, True)
    return _fuzzy(quoted, original, mine, theirs)


def _normal(key: str) -> str:
    """The key without what formatters add or drop."""
    return re.sub(r",(?=[)\]}]|$)|;$", "", key.replace("'", '"'))


def _differs_in_comment(quoted: str, original: str) -> bool:
    """Whether the lines are the same but for a comment behind the code, which one of them may lack."""
    if is_comment(quoted) or is_comment(original):
        return False
    my_code, their_code = _without_comment(quoted), _without_comment(original)
    return (my_code, their_code) != (quoted, original) and loose_key(my_code) == loose_key(their_code) != ""


def _without_comment(line: str) -> str:
    """The line without the comment behind its code."""
    closed = _CLOSED_COMMENT.search(line)
    if closed:
        return line[: closed.start()]
    found = _OPEN_COMMENT.search(line)
    if not found:
        return line
    code, text = line[: found.start()], found.group("text")
    is_plain = found.group("mark") == "#" or _TWO_WORDS.search(text)
    return code if is_plain or (code.endswith(_STATEMENT_END) and _WORD.search(text)) else line


def _is_shortened(mine: str, theirs: str) -> bool:
    """Whether dots in the quoted line stand for what the original has there."""
    pieces = _DOTS.split(mine)
    if len(pieces) < 2 or sum(map(len, pieces)) < _MIN_SHORTENED:
        return False
    if not (theirs.startswith(pieces[0]) and theirs.endswith(pieces[-1])):
        return False
    return holds_in_order(theirs, pieces)


def holds_in_order(text: str, pieces: Iterable[str]) -> bool:
    """Whether the text has all the pieces, one behind the other."""
    position = 0
    for piece in pieces:
        position = text.find(piece, position)
        if position < 0:
            return False
        position += len(piece)
    return True


def _fuzzy(quoted: str, original: str, mine: str, theirs: str) -> Likeness:
    if min(len(mine), len(theirs)) < 4:
        return NONE
    ratio = fuzz.ratio(mine, theirs, score_cutoff=MIN_CODE_RATIO)
    if not (is_comment(quoted) and is_comment(original)):
        return Likeness(0.8 * ratio / 100, False) if ratio else NONE
    if _is_cut(mine, theirs) or (ratio >= MIN_COMMENT_RATIO and len(mine) >= MIN_COMMENT):
        return Likeness(max(0.75, 0.85 * ratio / 100), True)
    return Likeness(0.6 * ratio / 100, False) if ratio else NONE


def _is_cut(mine: str, theirs: str) -> bool:
    """Whether one comment is the beginning of the other."""
    short, long = sorted((mine.rstrip(_COMMENT_END), theirs.rstrip(_COMMENT_END)), key=len)
    return len(short) >= MIN_CUT_COMMENT and long.startswith(short)
