"""Compares lines that aren't equal, one of which may still be a quote of the other."""

from __future__ import annotations

import re

from fastedit.anchor.lazy.lines import DOTS

MIN_ABBREVIATED = 6  # characters that stand in both
MIN_PREFIX = 10  # characters of a line that is cut off without dots
_LINE_COMMENT = re.compile(r"\s+(?:#|//|--)\s.*$")
_PUNCTUATION = re.compile(r"[,;\s]+$")


def is_respaced(mine: str, theirs: str) -> bool:
    """Whether two lines with the same key differ in more than blanks for tabs."""
    return mine != theirs and not ("\t" in mine + theirs and " ".join(mine.split()) == " ".join(theirs.split()))


def abbreviates(mine: str, theirs: str) -> bool:
    """Whether a line is another one with parts of it as dots; both without white space."""
    parts = [part for part in DOTS.split(mine) if part]
    if not DOTS.search(mine) or sum(map(len, parts)) < MIN_ABBREVIATED:
        return False
    return re.fullmatch(".*".join(map(re.escape, parts)), theirs) is not None


def _is_cut_off(mine: str, theirs: str) -> bool:
    """Whether a line is the beginning of another one, or a tag without its attributes."""
    if mine.startswith("<") and mine.endswith(">") and theirs.endswith(">"):
        return theirs.startswith(f"{mine[:-1]} ") and theirs.count("<") == 1
    if len(mine) < MIN_PREFIX or not theirs.startswith(mine):
        return False
    return not (mine[-1].isalnum() and theirs[len(mine) :][:1].isalnum())


def drops_comment(mine: str, theirs: str) -> bool:
    """Whether a line ends in a comment, and another one doesn't."""
    return _LINE_COMMENT.search(theirs) is not None and _LINE_COMMENT.search(mine) is None


def looseness(mine: str, theirs: str) -> int:
    """1 where a line is quoted without its comment or its last comma, 2 abbreviated, 3 cut off, 0 elsewhere."""
    if DOTS.search(mine) and not DOTS.search(theirs):
        parts = [part.strip() for part in re.split(r"/\*[^*]*(?:\.{3,}|…)[^*]*\*/|\.{3,}|…", mine)]
        if sum(map(len, parts)) >= 4:
            pattern = ".*".join(re.escape(part).replace(r"\ ", r"\s*") for part in parts)
            if re.fullmatch(pattern, theirs, re.DOTALL):
                return 2
            if parts[-1] and theirs.startswith(parts[0]) and re.match(pattern, theirs):
                return 2
    bare = _PUNCTUATION.sub("", _LINE_COMMENT.sub("", theirs))
    if bare and bare != theirs and not mine.endswith((",", ";")):
        key = "".join(_PUNCTUATION.sub("", mine).split())
        if "".join(bare.split()) == key:
            return 1
    if mine.replace("'", '"').replace(" ", "") == theirs.replace("'", '"').replace(" ", ""):
        return 1
    return 3 if _is_cut_off(mine, theirs) else 0
