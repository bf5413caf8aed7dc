"""Tells whether a line is another one that is quoted loosely: without its comment, abbreviated, cut off, respaced."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from fastedit.anchor.lazy.lines import DOTS, LINE_COMMENT

MIN_ABBREVIATED = 6  # characters that stand in both
MIN_PREFIX = 10  # characters of a line that is cut off without dots
MIN_GAPPY = 5  # words and signs of a line that lacks some of another one
# Signs that look alike: quotes, apostrophes, hyphens and dashes; what can't be seen at all.
_ALIKE = str.maketrans(
    dict.fromkeys("'‘’“”‚„′″", '"') | dict.fromkeys("‐‑‒–—−", "-") | dict.fromkeys("\u200b\u2060\ufeff", "")
)
_TOKENS = re.compile(r"\w+|[^\w\s,]")
_INSIDE_WORD = re.compile(r"\w\w")
_PUNCTUATION = re.compile(r"[,;\s]+$")


@lru_cache(maxsize=8192)
def _plain(text: str) -> str:
    """A line without white space, and with one sign for all that look alike."""
    return "".join(text.split()).translate(_ALIKE)


def is_respaced(mine: str, theirs: str) -> bool:
    """Whether two lines with the same key differ in more than blanks for tabs."""
    return mine != theirs and not ("\t" in mine + theirs and " ".join(mine.split()) == " ".join(theirs.split()))


def abbreviates(mine: str, theirs: str) -> bool:
    """Whether a line is another one with parts of it as dots; both without white space."""
    parts = [part for part in DOTS.split(mine) if part]
    if not DOTS.search(mine) or sum(map(len, parts)) < MIN_ABBREVIATED:
        return False
    return _follow_each_other(parts, theirs, is_whole=True)


def _follow_each_other(parts: Sequence[str], text: str, is_whole: bool) -> bool:
    """Whether a text begins with the first of the parts and has the others behind it, in other columns at most.

    is_whole: it ends with the last one. Each is looked for by itself: one pattern for all of them would try every way
    to share the text's blanks among its own, which takes minutes where there are many.
    """
    at = 0
    for number, part in enumerate(parts):
        end = r"\Z" if is_whole and number == len(parts) - 1 else ""
        pattern = re.compile(r"\s*".join(map(re.escape, part.split())) + end)
        found = pattern.search(text, at) if number else pattern.match(text)
        if found is None:
            return False
        at = found.end()
    return True


def leaves_gaps(mine: str, theirs: str) -> bool:
    """Whether a line with dots has nothing that another one lacks, but lacks more of it than where its dots are.

    `def read(self, path, ...):` so stands for `def read(self, path: str, mode: str = "r") -> bytes:`.
    """
    if not DOTS.search(mine) or DOTS.search(theirs):
        return False
    shown, other = (_TOKENS.findall(text.replace("'", '"')) for text in (DOTS.sub(" ", mine), theirs))
    if len(shown) < MIN_GAPPY or not other or shown[0] != other[0] or shown[-1] != other[-1]:
        return False
    rest = iter(other)
    return all(token in rest for token in shown)


def begins(start: str, text: str) -> bool:
    """Whether a text begins with another one, and not inside of a word."""
    return text.startswith(start) and not _INSIDE_WORD.match(text, max(0, len(start) - 1))


def _is_cut_off(mine: str, theirs: str) -> bool:
    """Whether a line is the beginning of another one, or a tag without its attributes."""
    if mine.startswith("<") and mine.endswith(">") and theirs.endswith(">"):
        return theirs.startswith(f"{mine[:-1]} ") and theirs.count("<") == 1
    return len(mine) >= MIN_PREFIX and begins(mine, theirs)


def is_alike(mine: str, theirs: str) -> bool:
    """Whether a line differs from another one in signs that look alike, and not in plain quotes alone.

    Other quotes may be what an edit is about; other quotes and no comment behind them hardly are.
    """
    if mine.isascii() and theirs.isascii():
        code = LINE_COMMENT.sub("", theirs)
        return code != theirs and "".join(mine.split()) != "".join(code.split()) and _plain(mine) == _plain(code)
    return _plain(mine) == _plain(theirs)


def drops_comment(mine: str, theirs: str) -> bool:
    """Whether a line ends in a comment, and another one doesn't."""
    return LINE_COMMENT.search(theirs) is not None and LINE_COMMENT.search(mine) is None


def looseness(mine: str, theirs: str) -> int:
    """1 where a line is quoted without its comment or its last comma, 2 abbreviated, 3 cut off, 0 elsewhere."""
    if DOTS.search(mine) and not DOTS.search(theirs):
        parts = [part.strip() for part in re.split(r"/\*[^*]*(?:\.{3,}|…)[^*]*\*/|\.{3,}|…", mine)]
        is_whole = not (parts[-1] and theirs.startswith(parts[0]))
        if sum(map(len, parts)) >= 4 and _follow_each_other(parts, theirs, is_whole):
            return 2
    code, plain = LINE_COMMENT.sub("", theirs), _plain(mine)
    if _plain(theirs) == plain or (code != theirs and _plain(code) == plain):
        return 1
    bare = _PUNCTUATION.sub("", code)
    if bare and bare != theirs and not mine.endswith((",", ";")) and _plain(bare) == plain:
        return 1
    return 3 if _is_cut_off(mine, theirs) else 0
