"""What each line of a snippet is: told by its wording alone, then by what the original has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fastedit.anchor.remarks import Vocabulary, resolve_remarks
from fastedit.anchor.strings import strings_of
from fastedit.anchor.text import LineTable, key_of
from fastedit.anchor.units import UnitTree
from fastedit.edits.lazy import LineKind, SnippetLine, classify_lines, comment_text

# So many words without dots or brackets, in a comment of several lines, are prose rather than a marker.
MIN_PROSE_WORDS = 6

_DOTTED = re.compile(r"^[\[(<{]|\.{3}|…|[\])>}]$")


def read_lines(lines: Sequence[str], original: UnitTree, language: str) -> list[SnippetLine]:
    """The snippet's lines with their kinds; none is a REMARK any more."""
    table = original.table
    shown = classify_lines(list(lines), lambda line: key_of(line) in table.places)
    shown = _with_quoted_dots(_with_prose(shown), table, language)
    if not any(line.kind is LineKind.REMARK for line in shown):
        return shown
    return resolve_remarks(shown, language, lambda name: bool(original.named(name)), Vocabulary(table.lines))


def _with_prose(shown: list[SnippetLine]) -> list[SnippetLine]:
    """The lines with what only sounds like a marker made a remark: a line in the midst of a longer comment."""
    return [
        replace(line, kind=LineKind.REMARK)
        if line.kind in (LineKind.MARKER, LineKind.REMOVAL) and _is_prose(line) and _is_in_comment(shown, index)
        else line
        for index, line in enumerate(shown)
    ]


def _is_prose(line: SnippetLine) -> bool:
    return not _DOTTED.search(line.note) and len(line.note.split()) >= MIN_PROSE_WORDS


def _is_in_comment(shown: Sequence[SnippetLine], index: int) -> bool:
    """Whether a new line of a comment stands beside the line, or the comment goes on at both sides."""
    beside = [shown[number] for number in (index - 1, index + 1) if 0 <= number < len(shown)]
    if any(line.kind is LineKind.REMARK for line in beside):
        return True
    return len(beside) == 2 and all(comment_text(line.text) is not None for line in beside)


def _with_quoted_dots(shown: list[SnippetLine], table: LineTable, language: str) -> list[SnippetLine]:
    """The lines with bare dots inside of a string made code where the original has them behind the same line."""
    dots = [n for n, line in enumerate(shown) if line.kind is LineKind.MARKER and key_of(line.text) in table.places]
    if not dots:
        return shown
    inside = {number for span in strings_of([line.text for line in shown], language) for number in span}
    result = list(shown)
    for number in dots:
        places = table.places[key_of(shown[number].text)]
        above = key_of(shown[number - 1].text) if number else ""
        if number in inside and above and any(place and table.keys[place - 1] == above for place in places):
            result[number] = replace(shown[number], kind=LineKind.CODE)
    return result
