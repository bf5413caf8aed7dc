"""Snippets of a message without fences, in which some paragraphs are the file's, and others only speak about it.

Where the file itself is prose (Markdown, reST), all is taken for its text but what only the one who made the edit would
say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from fastedit.edits.fences import Message
from fastedit.edits.model import Snippet
from fastedit.edits.naming import path_in_line
from fastedit.edits.placing import last_sentence
from fastedit.edits.roles import has_marker
from fastedit.edits.wording import comment_text, is_elision, is_first_person, is_list, is_prose, is_prose_paragraph

_MARKUP = re.compile(r"^(?:#{2,6} \S|\|.*\|\s*$|\.\. \S|\[[^\]]+\]: |!\[|`{3,}|~{3,})")
_SET_IN = re.compile(r"^(?:\t| {4})")
_PLAIN = re.compile(
    r"^(?!(?:if|for|while|with|class|def|type|module|import|from|package) )[^\W\d_][^{}\[\]=<>;:|@$#()]*:?$"
)
_HEADING = re.compile(r"^#{2,6} \S")
_DOTTED = re.compile(r"^(?:\.{3,}|…).*(?:\.{3,}|…)$")
_UNDERLINE = re.compile(r"^([=~^\"-])\1{2,}\s*$")
_ABOUT_THE_FILE = re.compile(
    r"^(?:add|update|change|fix|replace|remove|rename|move|document|mention|rewrite|reword|drop|correct)\w*\b.{0,80}"
    r"\b(?:sections?|paragraphs?|readme|docs|headings?|lists?|tables?|files?|lines?|sentences?|links?|notes?|chapters?)\b",
    re.IGNORECASE | re.DOTALL,
)
_CLOSING = re.compile(
    r"^(?:I(?:['’](?:m|d|ve|ll))?|everything else|the rest|the others?|nothing else|no other|let me know"
    r"|that(?:['’]s| is| should)|tell me)\b",
    re.IGNORECASE,
)
_BRACKETS = (
    (re.compile(r"(?:^|\s)/\*", re.MULTILINE), "*/"),
    (re.compile("<!--"), "-->"),
    (re.compile(r"--\[\["), "]]"),
)
_QUOTES = ('"""', "'''", "`")


class _Kind(StrEnum):
    PROSE = "prose"
    CODE = "code"
    MARKUP = "markup"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """The message's lines [start, end) between two empty ones."""

    kind: _Kind
    start: int
    end: int
    text: str = field(repr=False)

    @property
    def is_told(self) -> bool:
        """Whether the paragraph speaks to the reader of the message: in the first person, or with code to follow."""
        return self.kind is _Kind.PROSE and (is_first_person(self.text) or self.text.rstrip().endswith((":", "：")))


def bare_snippets(text: str) -> list[Snippet]:
    """A message without fences as code, the sentences before, between and behind it left out; none where it's prose."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    paragraphs = _paragraphs(lines)
    if not any(paragraph.kind is not _Kind.PROSE for paragraph in paragraphs):
        return []
    if (parts := _indented_parts(paragraphs)) is None:
        parts = [_document(paragraphs)] if _is_document(paragraphs) else _code_parts(lines, paragraphs)
    snippets: list[Snippet] = []
    done = 0
    for part in parts:
        start, end = part[0].start, part[-1].end
        snippets.append(Snippet(tuple(lines[start:end]), prose="\n".join(lines[done:start]).strip(), source_line=start))
        done = end
    return snippets


def has_loose_marker(message: Message) -> bool:
    """Whether a marker stands outside of every fence and none inside: then the fences are the file's own text.

    A fence that nothing ends may be the end of one that the message doesn't show: what it holds is outside, too.
    """
    if any(block.is_closed and has_marker(block.lines) for block in message.blocks):
        return False
    is_torn = any(not block.is_closed for block in message.blocks)
    outside = [line for block in message.blocks for line in block.prose]
    return any(
        is_elision(line) and (comment_text(line) or (is_torn and _DOTTED.match(line)))
        for line in (*outside, *message.tail)
    )


def ends_in_heading(message: Message) -> bool:
    """Whether a heading ends a message that announces no fence: then all of it is the file's own text."""
    tail = [line for line in message.tail if line.strip()]
    if len(tail) < 2 or not _HEADING.match(tail[-1]) or path_in_line(tail[-1]):
        return False
    return not any(last_sentence(block.prose).endswith((":", "：")) for block in message.blocks)


def _paragraphs(lines: Sequence[str]) -> list[_Paragraph]:
    """The paragraphs in order; code right below the first sentences is one of its own."""
    found: list[_Paragraph] = []
    start = 0
    while start < len(lines):
        if not lines[start].strip():
            start += 1
            continue
        end = start
        while end < len(lines) and lines[end].strip():
            end += 1
        if not found:
            end = start + _num_told(lines[start:end])
        found.append(_Paragraph(_kind_of(lines[start:end]), start, end, "\n".join(lines[start:end])))
        start = end
    return found


def _num_told(lines: Sequence[str]) -> int:
    """Counts the lines of a first paragraph that introduce the code below them; all where it isn't so."""
    if is_prose_paragraph(lines):
        return len(lines)
    for count in range(min(len(lines) - 1, 12), 0, -1):
        told = "\n".join(lines[:count])
        if is_prose(told) and (is_first_person(told) or told.rstrip().endswith(":")):
            return count
    return len(lines)


def _kind_of(lines: Sequence[str]) -> _Kind:
    if any(_MARKUP.match(line) for line in lines) or _has_title(lines):
        return _Kind.MARKUP
    if all(comment_text(line) is not None or is_elision(line) for line in lines):
        return _Kind.COMMENT
    if is_prose_paragraph(lines):
        return _Kind.MARKUP if lines[-1].rstrip().endswith("::") else _Kind.PROSE
    return _Kind.CODE


def _has_title(lines: Sequence[str]) -> bool:
    """Whether one of the lines is underlined."""
    titled = pairwise(lines)
    return any(
        _UNDERLINE.match(line) and title[:1].strip() and comment_text(title) is None and not is_elision(title)
        for title, line in titled
    )


def _is_document(paragraphs: Sequence[_Paragraph]) -> bool:
    """Whether what the message edits is a text rather than a program."""
    around = [number for number, paragraph in enumerate(paragraphs) if paragraph.kind is not _Kind.PROSE]
    inner = paragraphs[around[0] : around[-1] + 1]
    kinds = [paragraph.kind for paragraph in inner]
    num_code = kinds.count(_Kind.CODE)
    has_markup = _Kind.MARKUP in kinds
    if not num_code and not has_markup:
        return any(is_elision(line) for paragraph in paragraphs for line in paragraph.text.split("\n")) and any(
            paragraph.kind is _Kind.PROSE for paragraph in paragraphs[1:]
        )
    num_text = sum(paragraph.kind is _Kind.PROSE and (has_markup or not paragraph.is_told) for paragraph in inner)
    if has_markup:
        # Beside titles and directives, what is indented may as well be an example.
        num_code = sum(paragraph.kind is _Kind.CODE and not paragraph.text[:1].isspace() for paragraph in inner)
    return num_text + kinds.count(_Kind.MARKUP) > num_code


def _document(paragraphs: Sequence[_Paragraph]) -> list[_Paragraph]:
    """The paragraphs of a text file without the message's own first and last ones."""
    first, last = 0, len(paragraphs)
    opening = paragraphs[0]
    if opening.kind is _Kind.PROSE and (is_first_person(opening.text) or _ABOUT_THE_FILE.match(opening.text)):
        first = 1
    while last - first > 1 and paragraphs[last - 1].kind is _Kind.PROSE and _CLOSING.match(paragraphs[last - 1].text):
        last -= 1
    return list(paragraphs[first:last])


def _indented_parts(paragraphs: Sequence[_Paragraph]) -> list[list[_Paragraph]] | None:
    """The runs of paragraphs set in as Markdown's code is, where each stands below words at the margin; else None."""
    parts: list[list[_Paragraph]] = []
    is_below = False
    for paragraph in paragraphs:
        is_code = all(_SET_IN.match(line) for line in paragraph.text.split("\n"))
        if not is_code and paragraph.kind is not _Kind.PROSE and not _is_plain(paragraph.text):
            return None
        if is_code and not is_below:
            parts.append([])
        if is_code:
            parts[-1].append(paragraph)
        is_below = is_code
    first = paragraphs[0]
    return parts if parts and (first.kind is _Kind.PROSE or first.text.endswith(":")) else None


def _is_plain(text: str) -> bool:
    """Whether a line holds but words, as one that introduces code does: `then at the end of the list`."""
    return len(text.split()) > 2 and _PLAIN.match(text) is not None and "\n" not in text


def _code_parts(lines: Sequence[str], paragraphs: Sequence[_Paragraph]) -> list[list[_Paragraph]]:
    """The runs of code paragraphs between what the message tells its reader."""
    first = _num_leading(paragraphs)
    last = max(number for number, paragraph in enumerate(paragraphs) if paragraph.kind is not _Kind.PROSE)
    inside = _inside(lines)
    parts: list[list[_Paragraph]] = [[]]
    for number, paragraph in enumerate(paragraphs[first:], first):
        is_told = number > last or (paragraph.is_told and not inside[paragraph.start])
        if paragraph.kind is not _Kind.PROSE or not is_told:
            parts[-1].append(paragraph)
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]


def _num_leading(paragraphs: Sequence[_Paragraph]) -> int:
    """Counts the paragraphs that the message speaks before its code. A list is one of them below a colon only."""
    for number, paragraph in enumerate(paragraphs):
        is_loose = number > 0 and not paragraphs[number - 1].text.rstrip().endswith((":", "："))
        if paragraph.kind is not _Kind.PROSE or (is_loose and is_list(paragraph.text.split("\n"))):
            return number
    return len(paragraphs)


def _inside(lines: Sequence[str]) -> list[bool]:
    """For each line whether a comment or string that started above it goes on there."""
    inside: list[bool] = []
    is_quoted = dict.fromkeys(_QUOTES, False)
    is_bracketed = [False] * len(_BRACKETS)
    for line in lines:
        inside.append(any(is_quoted.values()) or any(is_bracketed))
        for quotes in _QUOTES:
            is_quoted[quotes] ^= bool(line.count(quotes) % 2)
        for number, (opening, closing) in enumerate(_BRACKETS):
            start = max((found.start() for found in opening.finditer(line)), default=-1)
            if start >= 0 or closing in line:
                is_bracketed[number] = start > line.rfind(closing)
    return inside
