"""Telling English from code, for messages that don't fence their code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fastedit.patterns import pattern

_LIST_ITEM = pattern(r"^(?!\s\*)\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_INLINE_CODE = pattern(r"(`+)[^`\n]+\1")
_CODE_SIGN = pattern(r"[{}\[\]=<>\\|@$]|;(?!\s\S)|\w\(|::|->")
# What no line of a sentence starts with, and what none holds.
_CODE_LINE = pattern(
    r"^(?:\t|\s{4}|\s*(?://|--|/\*|\*/|<[!/?\w%]|@\w|\.\. |%|;|[{}\])]|#|[-\w]+:\s*$|[a-z_][\w.]*\s*=\s)|\s\*\s)"
    r"|\"{3}|'{3}|/\*|\*/|<!--|-->|[{]\s*$"
)
_KEY_ITEM = pattern(r"^\s*-\s+[\w.-]+:(?:\s|$)")
_STATEMENT = pattern(r"^(?:if|for|while|with|elif|else|class|def|case|except|match|when|unless|until|async)\b")
_SHORT = pattern(r"^[A-Z][\w' ,-]{1,40}[.!?:]$")
_PLAIN = pattern(r"^[(\"'“‘«*_]*[^\W\d_]+(?:['’/-][^\W\d_]+)*[)\"'”’»*_]*[.,;:!?…)]*$")
_NEUTRAL = pattern(r"^(?:\W*(?:\d[\d.,:%-]*|[A-Z]{2,}s?|\ufffc)?\W*)$")
_FUNCTION_WORDS = frozenset(
    "the a an so which are it that this be also its any now i we they them there but to of you was were".split()
)
_SENTENCE_END = pattern(r"[.:!?)…\"*\ufffc]$")
_WIDE = pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WIDE_END = pattern(r"[。：！？）:.!?)]$")
_FIRST_PERSON = pattern(
    r"^(?:[\W_]*)(?:(?:(?:sure|ok|okay|done|now|first|next|then|so|also|and|here)\b[,.!:]?\s*)*)"
    r"(?:I(?:['’](?:ll|m|ve|d))?|we(?:['’](?:ll|re|ve|d))?|let me|let['’]s|here(?:['’]s| is| are))\s",
    re.IGNORECASE,
)
_MAX_TEXT = 4000
_MIN_SHARE, _MIN_SHARE_OF_PERSON, _MIN_SHARE_OF_FRAGMENT = 0.6, 0.35, 0.85


@dataclass(frozen=True, slots=True)
class _Words:
    """Counts of a text's words: plain ones, those that are code, and those that only a sentence needs."""

    plain: int
    code: int
    function: int

    @property
    def share(self) -> float:
        return self.plain / max(1, self.plain + self.code)


def is_prose(paragraph: str) -> bool:
    """Whether a paragraph (or line) reads as a sentence to a person, not as code or data.

    Most of its words are plain ones, it starts and ends as a sentence does; code names in it don't matter.
    """
    lines = paragraph[:_MAX_TEXT].strip("\n").split("\n")
    if _has_code_line(lines) or _KEY_ITEM.match(lines[0]):
        return False
    text = _without_code(_LIST_ITEM.sub("", " ".join(line.strip() for line in lines))).strip()
    if not text:
        return False
    if _SHORT.match(text) or _is_wide_sentence(text):
        return True
    words = _count(text)
    if _CODE_SIGN.search(text) and not words.function:
        return False
    if _is_label(text, words):
        return True
    if is_first_person(text):
        return words.plain >= 3 and words.share >= _MIN_SHARE_OF_PERSON
    starts_well = _starts_well(text) or bool(_LIST_ITEM.match(paragraph))
    if starts_well and _SENTENCE_END.search(text):
        return words.plain >= 4 and words.share >= _MIN_SHARE
    return words.plain >= 6 and words.function >= 2 and words.share >= _MIN_SHARE_OF_FRAGMENT


def is_prose_paragraph(lines: Sequence[str]) -> bool:
    """Whether these lines are prose together, or every list item of theirs is."""
    if is_prose("\n".join(lines)) or all(is_prose(line) for line in lines):
        return True
    items: list[list[str]] = []
    for line in lines:
        if _LIST_ITEM.match(line) or not items:
            items.append([])
        items[-1].append(line.strip() if items[-1] else line)
    return len(items) > 1 and all(is_prose("\n".join(item)) or _is_told_item("\n".join(item)) for item in items)


def is_first_person(text: str) -> bool:
    """Whether a text starts as only the one who made the edit would write (`I'll`, `Here's`)."""
    return bool(_FIRST_PERSON.match(text))


def is_list(lines: Sequence[str]) -> bool:
    """Whether a paragraph starts with a list item."""
    return bool(lines and _LIST_ITEM.match(lines[0]))


def _is_told_item(item: str) -> bool:
    """Whether a list item is a part of a sentence (`a second example with the keyword;`)."""
    if not _LIST_ITEM.match(item) or _KEY_ITEM.match(item) or _has_code_line(item.split("\n")):
        return False
    words = _count(_without_code(_LIST_ITEM.sub("", item)))
    return words.plain >= 4 and words.function >= 1 and words.share >= _MIN_SHARE


def _has_code_line(lines: Sequence[str]) -> bool:
    return any(_CODE_LINE.search(_without_code(line)) for line in lines)


def _without_code(text: str) -> str:
    return _INLINE_CODE.sub("\ufffc", text)


def _starts_well(text: str) -> bool:
    first = text.lstrip("\"'“‘«*_(")[:1]
    return first.isupper() or first == "\ufffc" or (first > "\x7f" and not first.islower())


def _is_label(text: str, words: _Words) -> bool:
    """Whether nothing but plain words stand around quoted code ("in `main`:"), or before a colon."""
    if words.code or text[-1] not in ".:,":
        return False
    if "\ufffc" in text:
        return words.plain >= 1
    return text[-1] == ":" and words.plain >= 4 and words.function >= 1 and not _STATEMENT.match(text)


def _is_wide_sentence(text: str) -> bool:
    """Whether the text is a sentence in a script that puts no spaces between words."""
    wide = len(_WIDE.findall(text))
    return wide >= 3 and wide * 2 >= len(text.replace("\ufffc", "")) and bool(_WIDE_END.search(text))


def _count(text: str) -> _Words:
    plain = code = function = 0
    for word in text.split():
        if _NEUTRAL.match(word) or _WIDE.search(word):
            continue
        if _PLAIN.match(word):
            plain += 1
            function += word.strip("(\"'*_.,;:!?)").lower().split("'")[0].split("’")[0] in _FUNCTION_WORDS
        else:
            code += "\ufffc" not in word
    return _Words(plain, code, function)
