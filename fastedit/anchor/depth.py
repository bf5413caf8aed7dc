"""How deep each line of a text stands: its columns, but for lines whose columns say nothing of the nesting.

A preprocessor's directives, comments that were put at the margin, and markers that were put there by mistake are as
deep as the code around them. Text inside of strings is `strings`' part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fastedit.anchor.text import LineTable
from fastedit.edits.lazy import LineKind, comment_text
from fastedit.syntax import comment_syntax

_PREPROCESSED = frozenset({"c", "cpp", "csharp", "objc", "cuda", "glsl", "hlsl"})
_DIRECTIVE = re.compile(
    r"\s*#\s*(?:if|ifdef|ifndef|elif|else|endif|define|undef|include|pragma|error|warning|region|endregion)\b"
)
_MIDDLE = re.compile(r"\s*#\s*(?:elif|else|endif)\b")
_OPENER = re.compile(r"[{(\[:]\s*(?:#.*|//.*)?$")
_BRACKETS = {"}": "{", ")": "(", "]": "["}


def depths_of(table: LineTable, language: str, kinds: Sequence[LineKind] | None) -> list[int]:
    """For each line how deep it stands, in columns; 0 for blank lines.

    kinds: of a snippet's lines; None for an original, where every line is code.
    """
    depths = list(table.columns)
    for span in table.strings:
        opening = depths[span.start - 1]
        if any(table.columns[line] < opening for line in span if table.keys[line]):
            for line in span:
                depths[line] = opening + 1 if table.keys[line] else 0
    rows = [line for line, key in enumerate(table.keys) if key and (kinds is None or kinds[line] is LineKind.CODE)]
    if language in _PREPROCESSED:
        _sink_directives(table, rows, depths)
    _sink_comments(table, rows, depths, language)
    if kinds is not None:
        _sink_markers(table, kinds, depths)
    return depths


def _sink_directives(table: LineTable, rows: Sequence[int], depths: list[int]) -> None:
    """A directive is inside of the block that is open there, and as deep as lines of code on both sides are.

    What only ends a branch has nothing inside, so that the line behind it counts alone.
    """
    code = [row for row in rows if not _DIRECTIVE.match(table.lines[row])]
    if len(code) == len(rows):
        return
    opened: list[int] = []
    following = 0
    for row in rows:
        if following < len(code) and code[following] == row:
            following += 1
            while opened and opened[-1] >= depths[row]:
                opened.pop()
            if table.keys[row].endswith("{"):
                opened.append(depths[row])
            continue
        before = depths[code[following - 1]] if following else 0
        after = depths[code[following]] if following < len(code) else 0
        around = after if _MIDDLE.match(table.lines[row]) else min(before, after)
        is_inside = bool(opened) and (after > opened[-1] or _closes(table, code, following))
        depths[row] = max(depths[row], around, opened[-1] + 1 if is_inside else 0)


def _closes(table: LineTable, code: Sequence[int], following: int) -> bool:
    """Whether the next line of code closes a block, or there is none."""
    return following == len(code) or table.keys[code[following]].startswith("}")


def _sink_comments(table: LineTable, rows: Sequence[int], depths: list[int], language: str) -> None:
    """A comment farther left than the code or the marker right behind it is as deep as that."""
    prefixes = comment_syntax(language).line
    if not prefixes:
        return
    code = set(rows)
    following = 0
    for row in range(len(table) - 1, -1, -1):
        if not table.keys[row]:
            continue
        if row not in code:
            following = table.columns[row]  # a marker stands where what it hides does
        elif table.keys[row].startswith(prefixes) and not _DIRECTIVE.match(table.lines[row]):
            depths[row] = max(depths[row], following)
        else:
            following = depths[row]


def _sink_markers(table: LineTable, kinds: Sequence[LineKind], depths: list[int]) -> None:
    """A marker between a header and lines of its body, or between such lines and what closes the block, is in it."""
    told = [row for row, key in enumerate(table.keys) if key]
    for position in range(1, len(told) - 1):
        before, row, after = told[position - 1 : position + 2]
        if kinds[row] is not LineKind.MARKER or kinds[before] is not LineKind.CODE or kinds[after] is not LineKind.CODE:
            continue
        opens = _OPENER.search(table.lines[before]) and comment_text(table.lines[before]) is None
        if opens and depths[row] <= depths[before] < depths[after]:
            depths[row] = depths[after]
        elif depths[row] <= depths[after] < depths[before] and _is_closed(table, told[:position], depths, after):
            depths[row] = depths[after] + 1


def _is_closed(table: LineTable, above: Sequence[int], depths: Sequence[int], closer: int) -> bool:
    """Whether a line closes the bracket that the nearest line above that is no deeper ends in."""
    header = next((row for row in reversed(above) if depths[row] <= depths[closer]), None)
    opening = _BRACKETS.get(table.keys[closer][0])
    return header is not None and opening is not None and table.keys[header].endswith(opening)
