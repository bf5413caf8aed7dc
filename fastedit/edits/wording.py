"""Reads what assistants write: lines that only stand for code, and paragraphs that are English.

A *marker* stands for lines of the original (`# ... existing code ...`), a *removal* says what goes
(`# removed: foo`), a *remark* is a comment that could be either a locator, an odd marker or new code:
only the original can tell. Comments that the original has are code, whatever they say.

This module knows the wordings and the comment syntaxes, not the original's structure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

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


class LineKind(StrEnum):
    CODE = "code"
    BLANK = "blank"
    MARKER = "marker"
    REMOVAL = "removal"
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class SnippetLine:
    """One line of a snippet.

    text: without line end. note: what a marker or removal says, else "". whole: for the first part of a
    line that was taken apart at an elided body, the whole line; is_part: one of the other parts.
    """

    text: str
    kind: LineKind
    note: str = ""
    whole: str | None = None
    is_part: bool = False


# (opening, closing) of a comment that fills its line, for every language: a snippet's own language
# tag is too often wrong or missing to rely on it.
COMMENT_FORMS: tuple[tuple[str, str], ...] = (
    ("{/*", "*/}"),
    ("<!--", "-->"),
    ("/*", "*/"),
    ("(*", "*)"),
    ("{{!--", "--}}"),
    ("<%#", "%>"),
    ("{#", "#}"),
    ("///", ""),
    ("//", ""),
    ("--[[", "]]"),
    ("{-", "-}"),
    ("<#", "#>"),
    ("#|", "|#"),
    ("#=", "=#"),
    ("--", ""),
    ("#", ""),
    (";;", ""),
    (";", ""),
    ("%", ""),
    ("'", ""),
    ("REM ", ""),
)
# All that an elision inside a patch can be: dots alone, words between dots, a comment that starts with dots.
_ELISION = re.compile(
    r"^\s*(?:(?:\.{3,}|…)(?:[^=;{}()]*(?:\.{3,}|…))?|(?://|#|--|;|%|/\*|<!--|\{/\*)\s*(?:\.{3,}|…).*)\s*$"
)
_DOTS = r"(?:\.{3,}|…)"
_STARTS_OR_ENDS_IN_DOTS = pattern(rf"^[\[(<{{]?\s*{_DOTS}|{_DOTS}\s*[\])>}}]?$")
_PLAIN_DOTS = pattern(rf"^{_DOTS}$")
_BRACKETED = pattern(r"^[\[(<].*[\])>]$")
_BARE = pattern(
    rf"^(?:{_DOTS}|\[\s*{_DOTS}.*\]|<\s*{_DOTS}[^>]*>|\(\s*{_DOTS}[^)]*\)|{_DOTS}\s*\(.*\)\s*{_DOTS}|{_DOTS}[^.=;{{}}]+{_DOTS})$"
)
_DOCSTRING = pattern(r"^[rbuRBU]?(\"\"\"|''')\s*(.*?)\s*\1$")
_SNIP = pattern(r"^[-=~*\s]*(?:snip|snipped|cut|omitted|elided|skipped)[-=~*\s]*$", re.IGNORECASE)
_SAME = (
    r"unchanged|unmodified|untouched|(?:the )?same(?: code)?(?: as)?(?: before| above| now)?"
    r"|as (?:is|before|now|it is|they are|it was)"
    r"|stays?(?: here| there)?(?: exactly)?(?: the same| as (?:is|it is|they are))?"
    r"|remains?(?: the same| as is| unchanged)?"
    r"|(?:omitted|elided|left out|not shown|skipped)(?: here)?(?: for (?:brevity|clarity|space))?|for brevity"
    r"|(?:no|without) changes?|not changed|keep(?:s)?(?: the)? existing|keep as is|like before|identical"
)
_ELIDED = (
    r"existing|previous|remaining|rest of|other|others|everything (?:above|below|else)"
    r"|code (?:above|below|here|unchanged)|(?:rest|remainder)"
)
_ENDING = pattern(rf"\b(?:{_SAME})\b[\s.!:,)\]]*$", re.IGNORECASE)
_WORDING = pattern(
    rf"(?:^[\s(\[]*(?:{_SAME})\b.{{0,20}}$)"
    rf"|(?:^[\s(\[]*(?:the )?(?:{_ELIDED})\b.{{0,60}}\b(?:code|{_SAME})\b)"
    rf"|(?:^[\s(\[]*(?:{_ELIDED})\s+(?:code|imports?|methods?|functions?|fields?|members?|lines?|entries|items?|cases?|arms?"
    rf"|arguments?|parameters?|properties|statements?|logic|implementation|body|rules?|styles?|keys?|values?|options?"
    rf"|tests?|routes?|steps?|jobs?|variables?|constants?|types?|declarations?|definitions?|content|file|class|method|function)"
    rf"\b.{{0,30}}$)",
    re.IGNORECASE,
)
_CODE_NOUN = pattern(
    r"\b(?:code|rest|remainder|everything|others?|remaining|existing|previous|above|below|imports?|methods?|functions?"
    r"|fields?|members?|body|bodies|implementations?|docstring|constants?|definitions?|declarations?|helpers?)\b",
    re.IGNORECASE,
)
_NAME = r"[`'\"]?[\w$.\[\]-]+(?:\(\))?[`'\"]?"
_NAMES = pattern(rf"^{_NAME}(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|to|through)\s+){_NAME})*\s+$")
MAX_MARKER_WORDS = 5
_REMOVAL = pattern(
    r"^[\s\[(.…-]*(?:(?:removed?|deleted?|dropped|gone)\s*[:\-–]|(?:removed|deleted|dropped)\s+[`\w].{0,60}$)"
    r"|^[\[(.…].{1,90}\b(?:is|are|was|were|has been|have been|got)\s+(?:now\s+)?(?:removed|deleted|dropped|gone)\b",
    re.IGNORECASE,
)
# Between commas or parentheses only: `x: int = ...` and `tuple[int, ...]` are code.
_INLINE = pattern(rf"[(,]\s*{_DOTS}\s*(?:[),]|$)|/\*\s*{_DOTS}.*?\*/")
_PYTHON_INLINE = pattern(rf"^(?P<head>\s*\S.*:)\s+{_DOTS}\s*(?:#\s*(?P<note>.*))?$")
_BRACE_INLINE = pattern(
    rf"^(?P<head>\s*\S.*\{{)\s*(?P<body>{_DOTS}|/\*.*?{_DOTS}.*?\*/|/\*\s*(?:{_SAME})\s*\*/)\s*(?P<tail>\}}[^{{}}]*)$",
    re.IGNORECASE,
)


def comment_text(line: str) -> str | None:
    """The text of the comment that fills this line, without its delimiters; None where it isn't one."""
    stripped = line.strip()
    for opening, closing in COMMENT_FORMS:
        if stripped.startswith(opening) and stripped.endswith(closing) and len(stripped) >= len(opening) + len(closing):
            inner = stripped[len(opening) : len(stripped) - len(closing) if closing else None]
            if closing and closing in inner:
                return None
            return inner.strip().lstrip("!*/#-").strip() if opening != "#" else inner.lstrip("#").strip()
    return None


def is_marker_wording(note: str) -> bool:
    """Whether a comment with this text can only be an elision."""
    if _STARTS_OR_ENDS_IN_DOTS.search(note) or _SNIP.match(note):
        return True
    is_bracketed = _BRACKETED.match(note) is not None
    inner = note[1:-1].strip() if is_bracketed else note
    if _WORDING.search(inner):
        return True
    ending = _ENDING.search(inner)
    if ending is None:
        return False
    # A sentence of some length that happens to end so is as good as any other comment.
    is_short = len(inner.split()) <= MAX_MARKER_WORDS or _NAMES.match(inner[: ending.start()]) is not None
    return is_bracketed or is_short or _CODE_NOUN.search(inner) is not None


def is_removal_wording(note: str) -> bool:
    """Whether a comment with this text says that something goes."""
    return bool(_REMOVAL.match(note))


def is_elision(line: str) -> bool:
    """Whether a line of a patch stands for other lines: `...`, `# ...`, `// ... existing code ...`."""
    return bool(_ELISION.match(line))


def elides_inline(text: str) -> bool:
    """Whether a line of code has an elision inside (`def f(self, ..., key=None):`)."""
    return bool(_INLINE.search(text)) and not _BARE.match(text.strip())


def classify_lines(lines: list[str], is_original: Callable[[str], bool]) -> list[SnippetLine]:
    """The snippet's lines with their kinds; elided one-line bodies are taken apart into two or three lines.

    is_original: whether a line (white space ignored) stands in the original; such a line is code, but a
    bare `...` and a comment of nothing but dots are markers all the same.
    """
    result: list[SnippetLine] = []
    for line in lines:
        result.extend(_classify(line, is_original))
    return result


def _classify(line: str, is_original: Callable[[str], bool]) -> list[SnippetLine]:
    stripped = line.strip()
    if not stripped:
        return [SnippetLine("", LineKind.BLANK)]
    note = comment_text(line)
    if _BARE.match(stripped):
        return [SnippetLine(line, LineKind.MARKER, stripped)]
    if is_original(line) and not (note is not None and _PLAIN_DOTS.match(note)):
        return [SnippetLine(line, LineKind.CODE)]
    if note is not None:
        return [SnippetLine(line, _comment_kind(note), note)]
    docstring = _DOCSTRING.match(stripped)
    if docstring and is_marker_wording(docstring.group(2).strip("()[] ") or "code"):
        return [SnippetLine(line, LineKind.MARKER, docstring.group(2))]
    return _split_inline(line)


def _comment_kind(note: str) -> LineKind:
    if is_removal_wording(note):
        return LineKind.REMOVAL
    if is_marker_wording(note):
        return LineKind.MARKER
    return LineKind.REMARK


def _split_inline(line: str) -> list[SnippetLine]:
    indent = line[: len(line) - len(line.lstrip())]
    python = _PYTHON_INLINE.match(line)
    if python:
        note = python.group("note") or "..."
        return [
            SnippetLine(python.group("head"), LineKind.CODE, whole=line),
            SnippetLine(indent + "    ...", LineKind.MARKER, note, is_part=True),
        ]
    brace = _BRACE_INLINE.match(line)
    if brace:
        return [
            SnippetLine(brace.group("head").rstrip(), LineKind.CODE, whole=line),
            SnippetLine(indent + "    ...", LineKind.MARKER, brace.group("body"), is_part=True),
            SnippetLine(indent + brace.group("tail").rstrip(), LineKind.CODE, is_part=True),
        ]
    return [SnippetLine(line, LineKind.CODE)]


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
