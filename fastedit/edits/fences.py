"""A message taken apart: fenced blocks, unfenced patches, and the prose between them.

Fences are read as CommonMark has them, by markdown-it-py where one may lie in a list or a quotation. Before that, one
pass over the lines mends what CommonMark would misread: patches outside of any fence (their lines would open headings,
lists and fences) are blanked out, and an outer fence that holds fences of its own length is made longer. So is one that
holds rows of its sign which are no fence of the message: underlines of titles, the end of an example in a docstring.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from fastedit.edits import search_replace, unified_diff, v4a

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_FENCE = re.compile(
    r"^(?P<lead>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:>[ \t]?)*)(?P<ticks>`{3,}|~{3,})(?P<info>[^`\n]*)$"
)
_MARKDOWN_INFO = re.compile(r"^\s*(?:md|markdown|mdx|rmd|qmd)\b", re.IGNORECASE)
_PATCH_INFO = re.compile(r"^\s*(?:diff|patch|udiff)\b", re.IGNORECASE)
_PATCH_STARTS = ("--- ", "diff --git ", "@@", "*** Begin Patch", "*** Update File")
# The signs that a line which opens a patch begins with, of whichever format.
_MAY_OPEN_PATCH = re.compile(r"\s*(?:<<<<|----|---\s|\*\*\*|@@|diff )", re.IGNORECASE)
_SHORTEST = "~~~"
_LONGEST = 5
_INDENTED = 4
_LONG = 256
# Each fence that seems to nest but never ends costs a look at the whole rest.
_MAX_FAILURES = 16


class BlockKind(StrEnum):
    FENCE = "fence"
    RAW = "raw"


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a message that holds code.

    lines: without line ends. start_line: 0-based line of the message where the first of them stands.
    prose: the message's lines between the block before and this one. is_closed: whether its fence was closed.
    """

    kind: BlockKind
    lines: tuple[str, ...]
    info: str
    prose: tuple[str, ...]
    start_line: int
    is_closed: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """A message's blocks in order. tail: the prose behind the last one."""

    blocks: tuple[Block, ...]
    tail: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Span:
    """A block's place: content lines [start, end), and [first, last) with the fence lines."""

    kind: BlockKind
    first: int
    start: int
    end: int
    last: int
    info: str = ""
    lines: tuple[str, ...] | None = None
    is_closed: bool = True


# One behind the last line of the unfenced patch that starts at a line; that line where none starts there.
_RAW_READERS: tuple[Callable[[list[str], int], int], ...] = (
    search_replace.raw_end,
    v4a.raw_end,
    unified_diff.raw_end,
)


def split_message(text: str) -> Message:
    """The message's blocks with the prose before each. Never raises."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    mended, raw_spans = _mend(lines)
    spans = sorted(raw_spans + _fences(mended), key=lambda span: span.first)
    blocks: list[Block] = []
    done = 0
    for span in spans:
        content = tuple(lines[span.start : span.end]) if span.lines is None else span.lines
        prose = tuple(lines[done : span.first])
        blocks.append(Block(span.kind, content, span.info, prose, span.start, span.is_closed))
        done = span.last
    return Message(tuple(blocks), tuple(lines[done:]))


def _mend(lines: list[str]) -> tuple[list[str], list[_Span]]:
    """The lines as markdown-it should see them, and the unfenced patches that were taken out."""
    mended = list(lines)
    spans: list[_Span] = []
    is_paired = _pairs(lines)
    num_failures = 0
    position = 0
    while position < len(lines):
        if not lines[position].strip():
            position += 1
            continue
        fence = _FENCE.match(lines[position])
        if fence and _is_underline(lines, position):
            mended[position] = ""
            position += 1
            continue
        if fence:
            close, is_nested = _closing_line(lines, position, fence, is_paired, num_failures < _MAX_FAILURES)
            if close is None:
                break
            if is_nested:
                _lengthen(mended, (position, close))
            elif close < 0:
                num_failures, close = num_failures + 1, -close
            position = close + 1
            continue
        may_open = _MAY_OPEN_PATCH.match(lines[position]) is not None
        end = max(reader(lines, position) for reader in _RAW_READERS) if may_open else position
        if end > position:
            spans.append(_Span(BlockKind.RAW, position, position, end, end))
            mended[position:end] = [""] * (end - position)
            position = end
            continue
        position += 1
    return mended, spans


def _closing_line(
    lines: list[str], opening: int, fence: re.Match[str], is_paired: Sequence[bool], can_nest: bool
) -> tuple[int | None, bool]:
    """The line where the fence closes (None: never), and whether other fences of its kind lie inside.

    Nesting is believed only where every inner fence is closed too; where it isn't, CommonMark's reading
    stands, and the line comes back negative.
    """
    is_markdown = bool(_MARKDOWN_INFO.match(fence.group("info")))
    is_prefixed = _holds_prefixed_lines(lines, opening, fence.group("info"))
    first_close: int | None = None
    depth, is_nested = 1, False
    close = None if is_prefixed else _close_outside(lines, opening, fence, is_paired)
    if close is not None:
        return close, True
    for number, inner in _inner_fences(lines, opening, fence):
        if inner is None or (is_prefixed and inner.group("lead") != fence.group("lead")):
            is_nested = True
            continue
        is_bare = not inner.group("info").strip()
        if is_bare and first_close is None:
            first_close = number
        if not is_bare or (is_markdown and _opens_bare(lines, number, depth)):
            depth, is_nested = depth + can_nest, is_nested or can_nest
            continue
        depth -= 1
        if depth == 0:
            return number, is_nested
    return (-first_close if first_close is not None else None), False


def _inner_fences(lines: list[str], opening: int, fence: re.Match[str]) -> Iterator[tuple[int, re.Match[str] | None]]:
    """The lines that could close a fence or open another inside; None with those that a SEARCH/REPLACE block holds."""
    ticks = fence.group("ticks")
    code_end = 0
    for number in range(opening + 1, len(lines)):
        if number >= code_end:
            code_end = search_replace.closed_end(lines, number)
        inner = _FENCE.match(lines[number])
        if inner and inner.group("ticks")[0] == ticks[0] and len(inner.group("ticks")) >= len(ticks):
            is_code = number < code_end or (len(inner.group("ticks")) > len(ticks) and _is_as_long(lines, number))
            yield number, None if is_code else inner


def _close_outside(lines: list[str], opening: int, fence: re.Match[str], is_paired: Sequence[bool]) -> int | None:
    """The line that closes a fence behind one which is so far in that it ends an example of the code.

    None where no such line stands first, or where the rest of the message has fewer fence lines for it: then that line
    closes the fence, however far in it is.
    """
    is_deep = False
    for number, inner in _inner_fences(lines, opening, fence):
        if inner is None:
            continue
        if inner.group("info").strip():
            return None
        if not _is_deeper(inner, fence):
            return number if is_deep and is_paired[number + 1] else None
        is_deep = True
    return None


def _is_deeper(inner: re.Match[str], outer: re.Match[str]) -> bool:
    """Whether a fence line stands as far in from another as Markdown's indented code does."""
    leads = (inner.group("lead").expandtabs(4), outer.group("lead").expandtabs(4))
    return not leads[0].strip() and len(leads[0]) - len(leads[1]) >= _INDENTED


def _pairs(lines: list[str]) -> list[bool]:
    """For each line, and behind the last, whether the fence lines from there to one with an info string pair up."""
    is_paired = [True] * (len(lines) + 1)
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number]
        fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence is None:
            is_paired[number] = is_paired[number + 1]
        else:
            is_paired[number] = bool(fence.group("info").strip()) or not is_paired[number + 1]
    return is_paired


def _holds_prefixed_lines(lines: list[str], opening: int, info: str) -> bool:
    """Whether a fence holds a patch whose lines have a prefix, so that an indented fence line is code of it."""
    first = next((line for line in lines[opening + 1 : opening + 4] if line.strip()), "")
    return bool(_PATCH_INFO.match(info)) or first.startswith(_PATCH_STARTS)


def _opens_bare(lines: list[str], number: int, depth: int) -> bool:
    """Whether a fence line without info string inside a Markdown file opens a block there rather than closes one."""
    before = lines[number - 1].strip()
    after = lines[number + 1].strip() if number + 1 < len(lines) else ""
    return depth == 1 and not before and bool(after)


def _is_underline(lines: list[str], number: int) -> bool:
    """Whether a line of tildes or backticks is the underline of a title in unfenced reST (or in a docstring)."""
    title, line = lines[number - 1].strip() if number else "", lines[number].strip()
    if line.strip("~") == "":
        return len(line) > len(_SHORTEST) and 0 < len(title) <= len(line) + 1
    # Backticks fence more often than they underline.
    return _is_as_long(lines, number)


def _is_as_long(lines: list[str], number: int) -> bool:
    """Whether a line of one sign alone, longer than a fence, is about as long as the text above it."""
    title, line = lines[number - 1].strip() if number else "", lines[number].strip()
    return line.strip(line[0]) == "" and len(line) > _LONGEST and len(line) - 2 <= len(title) <= len(line)


def _lengthen(mended: list[str], fence_lines: tuple[int, int]) -> None:
    for number in fence_lines:
        fence = _FENCE.match(mended[number])
        if fence:
            mended[number] = fence.group("lead") + fence.group("ticks")[0] * _LONG + fence.group("info")


def _fences(lines: list[str]) -> list[_Span]:
    """The fenced blocks as CommonMark reads them."""
    # A lone carriage return ends a line for markdown-it, but not for us.
    read = [line.replace("\r", " ") for line in lines]
    found = fences_at_the_margin(read)
    return [_span(lines, fence) for fence in (fences_anywhere(read) if found is None else found)]


class Fence(NamedTuple):
    """A fenced block, lines [first, last) with the fences.

    content: where what belongs to its lines isn't all of them, in a list or quotation; else None.
    """

    first: int
    last: int
    info: str
    content: str | None = None


def fences_at_the_margin(lines: Sequence[str]) -> list[Fence] | None:
    """The fences of a text in which all of them open at the margin, so that no list or quotation can hold one.

    Most messages are such, and markdown-it's modules take longer to import than all else that reads one. None where the
    text has anything that may be another fence.
    """
    found: list[Fence] = []
    at = 0
    while at < len(lines):
        if "```" not in lines[at] and "~~~" not in lines[at]:
            at += 1
            continue
        fence = _FENCE.match(lines[at])
        if fence is None or fence["lead"]:
            return None
        ticks = fence["ticks"]
        closing = re.compile(rf"[ \t]*{ticks}{ticks[0]}*[ \t]*")
        ends = (number for number in range(at + 1, len(lines)) if closing.fullmatch(lines[number]))
        # Behind the last line end there is no line for markdown-it.
        last = next((end + 1 for end in ends), len(lines) - (not lines[-1]))
        found.append(Fence(at, last, fence["info"].strip()))
        at = last
    return found


def fences_anywhere(lines: Sequence[str]) -> list[Fence]:
    """The fences as markdown-it reads them."""
    found: list[Fence] = []
    for token in _parser().parse("\n".join(lines)):
        if token.type == "fence" and token.map is not None:
            first, last = token.map
            is_plain = lines[first].startswith(token.markup)
            found.append(Fence(first, last, token.info.strip(), None if is_plain else token.content))
    return found


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").disable(["html_block", "code", "reference", "inline", "text_join"])


def _span(lines: Sequence[str], fence: Fence) -> _Span:
    first, last, info, content = fence
    closing = _FENCE.match(lines[last - 1]) if last - 1 > first else None
    is_closed = bool(closing and not closing.group("info").strip())
    end = last - 1 if is_closed else last
    # Inside lists and quotes only markdown-it knows what belongs to the line; elsewhere the bytes stand.
    told = None if content is None else tuple(content.removesuffix("\n").split("\n"))
    return _Span(BlockKind.FENCE, first, first + 1, end, last, info, told, is_closed)
