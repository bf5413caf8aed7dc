"""How alike two lines are, seen by themselves: one quoted by the other, about the same thing, or another case of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from fastedit.anchor.text import key_of

MIN_EXTENDED = 6

_TRAILING_COMMENT = re.compile(r"^(?:#|//|/\*|--|<!--|;)")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_QUOTED = re.compile(r"\s*[\[({]?\s*([\"'])(.+?)\1")
_ASSIGNMENT = re.compile(r"^\s*([\w$.\[\]\"'\s*&<>,:-]*?[\w$\]\"'])\s*(?::=|=>|->|=(?![=>])|:(?!:)|\+=)\s*\S")
_ARM = re.compile(r"^\s*(?:case\s+)?(\S.*?)\s*(?:=>|->)\s*\S")
_CASE = re.compile(r"^\s*case\s+(\S.*?)\s*:\s*$")
_ELISION = re.compile(r"/\*\s*(?:\.{3,}|…).*?\*/|(?:\.{3,}|…)")
_TAG = re.compile(r"^<([A-Za-z][\w.:-]*)((?:\s[^<>]*)?)>?$", re.DOTALL)
_ATTRIBUTE = re.compile(r"[^\s=\"']+(?:=(?:\"[^\"]*\"|'[^']*'|\{[^}]*\}|\S+))?")
# Words that say what a line does, not what it is about.
_NOT_A_SUBJECT = frozenset(
    "const let var val def class function func fn pub public private protected static final async await return export"
    " default import from new self this if elif else for while switch case with try except catch raise throw yield type"
    " struct enum interface readonly mut unsigned int void auto not local set end do then in and or is".split()
)


@lru_cache(maxsize=4096)
def subject_of(line: str) -> str:
    """The word that a line is about: the first that isn't a keyword (`const LIMIT = 3` → `LIMIT`)."""
    quoted = _QUOTED.match(line)
    if quoted:
        return quoted.group(2)
    for match in _WORD.finditer(line):
        if match.group() not in _NOT_A_SUBJECT:
            return match.group()
    return ""


def is_same_assignment(first: str, second: str) -> bool:
    """Whether both lines give a value to the same name, attribute or key."""
    mine, theirs = _ASSIGNMENT.match(first), _ASSIGNMENT.match(second)
    if first.lstrip().startswith("<"):
        return False
    return bool(mine and theirs and key_of(mine.group(1)) == key_of(theirs.group(1)))


def is_other_arm(first: str, second: str) -> bool:
    """Whether both lines are arms of a case distinction, but not for the same case."""
    mine, theirs = _ARM.match(first), _ARM.match(second)
    if mine and theirs:
        return key_of(mine.group(1)) != key_of(theirs.group(1))
    mine, theirs = _CASE.match(first), _CASE.match(second)
    return bool(mine and theirs) and not _cases(mine) & _cases(theirs)


def is_extended(first: str, second: str) -> bool:
    """Whether one line is the other one carried on: `set -eu` as `set -euo pipefail`."""
    short, long = sorted((first.strip(), second.strip()), key=len)
    return len(short) >= MIN_EXTENDED and len(short.split()) > 1 and long.startswith(short)


def _cases(found: re.Match[str] | None) -> set[str]:
    return {key_of(case) for case in found.group(1).split(",")} if found else set()


@lru_cache(maxsize=4096)
def normal_form(key: str) -> str:
    """A key without what formatters add or drop: commas before a closing bracket, the kind of quotes."""
    return re.sub(r",(?=[)\]}])", "", key).replace("'", '"')


@lru_cache(maxsize=1024)
def elision_pattern(text: str) -> re.Pattern[str]:
    """What a line with an inline elision matches, white space apart."""
    pieces = [re.escape(key_of(piece).strip(",")) for piece in _ELISION.split(text)]
    return re.compile(r"^" + r",?.*?,?".join(pieces) + r"[,;]?$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Likeness:
    """score: worth of the pair in the alignment; is_same: nothing but white space or a comment differs."""

    score: float
    is_same: bool = False
    ratio: float = 0.0


NO_LIKENESS = Likeness(0.0)


def is_same_line(snippet: str, original: str) -> bool:
    """Whether a snippet's line quotes the original's: equal but for white space or a dropped trailing comment."""
    snippet_key, original_key = key_of(snippet), key_of(original)
    if snippet_key == original_key:
        return True
    if original_key.startswith(snippet_key) and len(snippet_key) > 3:
        return bool(_TRAILING_COMMENT.match(original_key[len(snippet_key) :])) and not _TRAILING_COMMENT.match(
            snippet_key
        )
    return is_abbreviated_comment(snippet, original)


def is_abbreviated_comment(snippet: str, original: str) -> bool:
    """Whether the snippet's comment is the beginning of the original's, cut off with dots."""
    key = key_of(snippet)
    cut = re.sub(r"(?:\.{3,}|…)(?:\*/|-->)?$", "", key)
    return (
        len(cut) < len(key)
        and len(cut) >= 8
        and bool(_TRAILING_COMMENT.match(cut))
        and key_of(original).startswith(cut)
    )


def is_tag_without_attributes(snippet: str, original: str) -> bool:
    """Whether the snippet's opening tag is the original's with attributes left out, as in a wrapper's `<form>`."""
    mine, theirs = _TAG.match(snippet.strip()), _TAG.match(original.strip())
    if not mine or not theirs or mine.group(1) != theirs.group(1):
        return False
    shown = set(_ATTRIBUTE.findall(mine.group(2)))
    return not shown and bool(theirs.group(2).strip())


def first_word(line: str) -> str:
    """The first word of the line, "" where it has none."""
    match = _WORD.search(line)
    return match.group() if match else ""
