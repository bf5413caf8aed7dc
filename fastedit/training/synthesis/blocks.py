"""Reads how a text is nested, from its indentation alone.

It works for every language that people indent, with or without a grammar, and knows nothing of syntax: a block is
what stands deeper than the line above it. `Outline` knows the names; blocks also know loops, tables and tags.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

TAB_WIDTH = 4
HIDDEN = -1  # width of a blank line, or of one inside a multi-line string or comment

CLOSER = re.compile(
    r"[\])}]|</|-->|\*/|(?:end|fi|done|esac|endif|else|elif|elsif|except|finally|catch|rescue|ensure|then|until)\b"
)
# What opens a string of several lines, and what has to be passed over on the way to it.
TRIPLE_QUOTES = re.compile(r"""(?P<open>\"\"\"|\'\'\')|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|#.*""")


@dataclass(frozen=True, slots=True)
class IndentedBlock:
    """Lines [start, end) that stand deeper than the line `header`, and the line that closes them.

    closer: the line at the header's depth that ends the block (a brace, `end`, `else`, a closing tag), or -1.
    parent: index of the enclosing block, or -1. previous: index of the block that `header` closes, or -1.
    """

    header: int
    start: int
    end: int
    closer: int
    parent: int
    previous: int


def width_of(line: str) -> int:
    """The columns that a line's indentation takes."""
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    return len(indent.expandtabs(TAB_WIDTH)) if "\t" in indent else len(indent)


def hidden_lines(
    lines: Sequence[str], *, triple_quotes: bool, block_comments: tuple[tuple[str, str], ...]
) -> list[bool]:
    """For each line, whether it starts inside a multi-line string or comment (the line that opens one doesn't).

    A rough scan that knows no escapes in them: good enough to keep markers out of docstrings and comments.
    """
    hidden = [False] * len(lines)
    end: str | None = None
    for number, line in enumerate(lines):
        position = 0
        if end is not None:
            hidden[number] = True
            close = line.find(end)
            if close < 0:
                continue
            position, end = close + len(end), None
        end = _left_open(line, position, triple_quotes, block_comments)
    return hidden


def _left_open(line: str, position: int, triple_quotes: bool, comments: tuple[tuple[str, str], ...]) -> str | None:
    """The closing sign of the string or comment that `line` opens behind `position` and leaves open; None for none."""
    while True:
        starts = [(line.find(start, position), end, len(start)) for start, end in comments]
        if triple_quotes and (match := _triple_quotes(line, position)):
            starts.append((match.start(), match.group(), 3))
        found = [entry for entry in starts if entry[0] >= 0]
        if not found:
            return None
        start, end, length = min(found)
        close = line.find(end, start + length)
        if close < 0:
            return end
        position = close + len(end)


def _triple_quotes(line: str, position: int) -> re.Match[str] | None:
    """The first triple quotes behind `position` that stand neither in a string nor in a comment."""
    return next((match for match in TRIPLE_QUOTES.finditer(line, position) if match.group("open")), None)


def read_blocks(
    lines: Sequence[str], hidden: Sequence[bool], *, comments: tuple[str, ...] = ()
) -> tuple[tuple[IndentedBlock, ...], tuple[int, ...]]:
    """The blocks in order of their headers, and for each line the index of the innermost block around it, or -1.

    comments: how line comments start. One that stands farther left than the code behind it ends no block.
    """
    widths = [HIDDEN if hidden[n] or not line.strip() else width_of(line) for n, line in enumerate(lines)]
    _pass_over_stray_comments(lines, widths, comments)
    visible = [n for n, width in enumerate(widths) if width != HIDDEN]
    blocks: list[IndentedBlock] = []
    inside = [-1] * len(lines)
    opened: list[tuple[int, int]] = []  # (width of the header, index of the block)
    for position, number in enumerate(visible):
        width = widths[number]
        last = visible[position - 1] if position else -1
        closed = -1
        while opened and opened[-1][0] >= width:
            header_width, index = opened.pop()
            is_closer = header_width == width and CLOSER.match(lines[number].strip()) is not None
            closed = index if is_closer else -1
            blocks[index] = _ended(blocks[index], _reach(last, number, lines), number if is_closer else -1)
        inside[number] = opened[-1][1] if opened else -1
        follower = visible[position + 1] if position + 1 < len(visible) else -1
        if follower >= 0 and widths[follower] > width:
            blocks.append(IndentedBlock(number, follower, len(lines), -1, inside[number], closed))
            opened.append((width, len(blocks) - 1))
    for _, index in opened:
        blocks[index] = _ended(blocks[index], _reach(visible[-1], len(lines), lines), -1)
    return tuple(blocks), _filled(inside, widths)


def _pass_over_stray_comments(lines: Sequence[str], widths: list[int], comments: tuple[str, ...]) -> None:
    following = 0
    for number in range(len(lines) - 1, -1, -1):
        if widths[number] == HIDDEN:
            continue
        if comments and lines[number].lstrip().startswith(comments):
            if widths[number] < following:
                widths[number] = HIDDEN
        else:
            following = widths[number]


def _reach(last: int, following: int, lines: Sequence[str]) -> int:
    """The end (one behind the last line of text) of a block whose last visible line is `last`: the lines of a string
    that this line opens belong to it."""
    end = following
    while end - 1 > last and not lines[end - 1].strip():
        end -= 1
    return end


def _ended(block: IndentedBlock, end: int, closer: int) -> IndentedBlock:
    return IndentedBlock(block.header, block.start, end, closer, block.parent, block.previous)


def _filled(inside: list[int], widths: list[int]) -> tuple[int, ...]:
    """Puts hidden lines into the block of the visible line before them."""
    for number in range(1, len(inside)):
        if widths[number] == HIDDEN:
            inside[number] = inside[number - 1]
    return tuple(inside)
