"""How faithfully a patch's line quotes a line of the original.

Models quote from memory: they collapse alignment, change case, drop trailing comments, shorten long lines
with dots. All that is still the same line. Another call, another argument, another name is not.
"""

from __future__ import annotations

import re
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
MIN_COMMENT_RATIO = 72.0
MIN_CODE_RATIO = 60.0

_LOOK_ALIKES = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "​": None, "﻿": None}
)
_COMMENT = re.compile(r"^(?:#|//|/\*|\*|--|<!--|;|%|\"\"\"|''')")
_TRAILING_COMMENT = re.compile(r"(?<=\S)\s+(?:#|//|/\*|--|<!--|;).*$")
_GLUED_COMMENT = re.compile(r"^(?:#|//|/\*|--|<!--|;)")
_DOTS = re.compile(r"\.{3,}|…")
_MIN_SHORTENED = 8
_WORD = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True)
class Likeness:
    """value: between 0 and 1. is_same: the patch means this very line, however badly it quotes it."""

    value: float
    is_same: bool


NONE = Likeness(0.0, False)


@lru_cache(maxsize=1 << 16)
def loose_key(line: str) -> str:
    """The line without white space and case, typographic look-alikes made plain."""
    return "".join(line.translate(_LOOK_ALIKES).split()).casefold()


@lru_cache(maxsize=1 << 16)
def weight_of(line: str) -> float:
    """How much finding this line tells: next to nothing for blank lines and brackets, 1 for long ones."""
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
    """How alike the two lines are; NONE where they have nothing to do with each other."""
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
    if _differs_in_comment(quoted, original, mine, theirs):
        return Likeness(COMMENT_DIFFERS, True)
    if _is_shortened(mine, theirs):
        return Likeness(IS_SHORTENED, True)
    return _fuzzy(quoted, original, mine, theirs)


def _normal(key: str) -> str:
    """The key without what formatters add or drop."""
    return re.sub(r",(?=[)\]}]|$)|;$", "", key.replace("'", '"'))


def _differs_in_comment(quoted: str, original: str, mine: str, theirs: str) -> bool:
    if is_comment(quoted) or is_comment(original):
        return False
    short, long = sorted((mine, theirs), key=len)
    if len(short) > 3 and long.startswith(short) and _GLUED_COMMENT.match(long[len(short) :]):
        return True
    my_code, their_code = _TRAILING_COMMENT.sub("", quoted), _TRAILING_COMMENT.sub("", original)
    return my_code != quoted and their_code != original and loose_key(my_code) == loose_key(their_code) != ""


def _is_shortened(mine: str, theirs: str) -> bool:
    """Whether dots in the quoted line stand for what the original has there."""
    pieces = _DOTS.split(mine)
    if len(pieces) < 2 or sum(map(len, pieces)) < _MIN_SHORTENED:
        return False
    if not (theirs.startswith(pieces[0]) and theirs.endswith(pieces[-1])):
        return False
    position = 0
    for piece in pieces:
        position = theirs.find(piece, position)
        if position < 0:
            return False
        position += len(piece)
    return True


def _fuzzy(quoted: str, original: str, mine: str, theirs: str) -> Likeness:
    if min(len(mine), len(theirs)) < 4:
        return NONE
    both_comments = is_comment(quoted) and is_comment(original)
    ratio = fuzz.ratio(mine, theirs, score_cutoff=MIN_CODE_RATIO)
    if both_comments:
        is_cut = len(mine) >= 12 and (
            theirs.startswith(mine.rstrip("./*->")) or mine.startswith(theirs.rstrip("./*->"))
        )
        is_same = is_cut or ratio >= MIN_COMMENT_RATIO
        return (
            Likeness(max(0.75, 0.85 * ratio / 100) if is_same else 0.6 * ratio / 100, is_same)
            if is_same or ratio
            else NONE
        )
    return Likeness(0.8 * ratio / 100, False) if ratio else NONE
