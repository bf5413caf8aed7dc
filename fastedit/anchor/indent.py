"""Where new lines are indented to: columns of a snippet become indentation of the original."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from fastedit.anchor.text import TAB_COLUMNS, LineTable, columns_of, is_trivial
from fastedit.lines import indent_of


@dataclass(frozen=True, slots=True)
class Reference:
    """A snippet line with its column, and the indentation that this column has in the result."""

    line: int
    columns: int
    indent: str


class Indenter:
    """Maps a snippet's columns to the original's indentation, by the nearest line that stands in both."""

    def __init__(self, snippet: LineTable, original: LineTable) -> None:
        self.snippet = snippet
        self.unit = original.indent_unit
        self.snippet_unit = max(1, columns_of(snippet.indent_unit + "x"))
        self.original_unit = max(1, columns_of(self.unit + "x"))
        if _is_quoted_by_columns(snippet, original):
            self.snippet_unit = self.original_unit

    def indent(self, columns: int, reference: Reference) -> str:
        """The indentation of a line that stands at `columns` in the snippet, seen from the reference."""
        delta = columns - reference.columns
        if delta == 0:
            return reference.indent
        at = columns_of(reference.indent + "x")
        if self.unit != "\t" and self.snippet_unit == self.original_unit:
            return _spaces(reference.indent, at + delta)
        levels, rest = divmod(abs(delta), self.snippet_unit)
        if delta > 0:
            return reference.indent + self.unit * levels + " " * rest
        return _cut(reference.indent, at - levels * self.original_unit - rest)

    def rewrite(self, line: str, columns: int, reference: Reference) -> str:
        """The snippet's line as it stands in the result."""
        code = line.lstrip(" \t")
        if not code:
            return ""
        return self.indent(columns, reference) + code


def _is_quoted_by_columns(snippet: LineTable, original: LineTable) -> bool:
    """Whether the snippet's steps of indentation are as wide as the original's, as most lines that stand in both say.

    Counted over neighbouring lines that stand once in both texts, at different columns.
    """
    num_alike = num_others = 0
    previous: tuple[int, int] | None = None
    for key, columns in zip(snippet.keys, snippet.columns, strict=True):
        places = original.places.get(key, ()) if not is_trivial(key) else ()
        if len(places) != 1:
            continue
        here = (columns, original.columns[places[0]])
        if previous and here[0] != previous[0]:
            is_alike = here[0] - previous[0] == here[1] - previous[1]
            num_alike, num_others = num_alike + is_alike, num_others + (not is_alike)
        previous = here
    return num_alike > num_others


def shift_line(line: str, old: str, new: str) -> str:
    """The line with its indentation moved from `old` to `new`; a blank line stays as it is."""
    if not line.strip() or old == new:
        return line
    indent = indent_of(line)
    if indent.startswith(old):
        return new + line[len(old) :]
    delta = columns_of(new + "x") - columns_of(old + "x")
    return _spaces(indent, max(0, columns_of(line) + delta)) + line[len(indent) :]


def nearest(references: list[Reference], line: int) -> Reference | None:
    """The reference nearest to a snippet line, the earlier one of two equally near."""
    if not references:
        return None
    position = bisect_left([reference.line for reference in references], line)
    around = references[max(0, position - 1) : position + 1]
    return min(around, key=lambda reference: (abs(reference.line - line), reference.line))


def _spaces(indent: str, columns: int) -> str:
    """Indentation of that many columns, in the manner of `indent`."""
    if columns <= 0:
        return ""
    if "\t" in indent:
        return "\t" * (columns // TAB_COLUMNS) + " " * (columns % TAB_COLUMNS)
    return " " * columns


def _cut(indent: str, columns: int) -> str:
    while indent and columns_of(indent + "x") > max(0, columns):
        indent = indent[:-1]
    return indent
