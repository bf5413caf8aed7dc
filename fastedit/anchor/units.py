"""A text as a tree of units: lines, and blocks that have lines of their own.

Where the language's outline knows a declaration, the declaration is the unit, with its comments and
decorators (lead), its header of one or more lines, its body, and what closes it. Everything else is
read from the indentation, so that any text has a tree. Trees are unfolded level by level, on demand.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from fastedit.anchor.depth import depths_of
from fastedit.anchor.text import LineTable, is_closer, opens_bracket
from fastedit.edits.lazy import LineKind, SnippetLine
from fastedit.syntax.model import Declaration, Outline

_SWITCH = re.compile(r"^\s*(?:switch|select|match)\b.*\{\s*$")
_OPENER = re.compile(r"[{(\[:,]\s*(?:#.*|//.*|/\*.*)?$")
# What stands as deep as the header of what it is a part of.
_MIDDLE = re.compile(r"^\s*(?:rescue|ensure|else|elsif|(?:public|private|protected|signals)(?:\s+slots)?\s*:)")
_TAG = re.compile(r"\s*</?([A-Za-z][\w.:-]*)")
_BRACKETS = {"}": "{", ")": "(", "]": "["}


@dataclass(slots=True, eq=False)
class Unit:
    """Lines [start, end): lead [start, head), header [head, body), body [body, close), closer [close, end).

    kind: CODE, MARKER, REMOVAL or REMARK. name, signature: of a declaration, else "". parent: the unit
    whose body it stands in, None at the top.
    """

    start: int
    head: int
    body: int
    close: int
    end: int
    columns: int
    kind: LineKind = LineKind.CODE
    name: str = ""
    signature: str = ""
    declares: str = ""
    note: str = ""
    parent: Unit | None = None
    children: list[Unit] | None = field(default=None, repr=False)

    @property
    def has_body(self) -> bool:
        return self.close > self.body

    @property
    def is_block(self) -> bool:
        """Whether it is a declaration that stands apart from its neighbours."""
        return self.declares not in ("", "import", "value")

    @property
    def is_code(self) -> bool:
        return self.kind is LineKind.CODE

    @property
    def is_marker(self) -> bool:
        return self.kind is LineKind.MARKER


class UnitTree:
    """The units of a text, unfolded on demand.

    shown: a snippet's lines with their kinds; None for an original, where every line is code.
    """

    def __init__(
        self,
        table: LineTable,
        outline: Outline,
        shown: Sequence[SnippetLine] | None = None,
    ) -> None:
        self.table = table
        self.shown = shown
        self.kinds = [line.kind for line in shown] if shown is not None else None
        self.depths = depths_of(table, outline.language, self.kinds)
        self._starts: dict[int, list[Declaration]] = {}
        for declaration in outline.declarations:
            self._starts.setdefault(declaration.start_line, []).append(declaration)
        self._named: dict[str, list[Declaration]] = {}
        for declaration in outline.declarations:
            if declaration.name:
                self._named.setdefault(declaration.name, []).append(declaration)
        self._top: list[Unit] | None = None

    @property
    def top(self) -> list[Unit]:
        """The units of the outermost level."""
        if self._top is None:
            self._top = self._build(0, len(self.table), None)
        return self._top

    def children(self, unit: Unit) -> list[Unit]:
        """The units of its body, in order."""
        if unit.children is None:
            unit.children = self._build(unit.body, unit.close, unit) if unit.has_body else []
        return unit.children

    @property
    def names(self) -> Iterable[str]:
        """The names that the text declares."""
        return self._named.keys()

    def named(self, name: str) -> list[int]:
        """The header lines of the declarations of that name."""
        return [declaration.header_line for declaration in self._named.get(name, [])]

    def ranges(self, name: str) -> list[tuple[int, int]]:
        """The lines of the functions and classes of that name."""
        return [
            (declaration.start_line, declaration.end_line)
            for declaration in self._named.get(name, [])
            if declaration.kind in ("function", "class")
        ]

    def by_indentation(self, unit: Unit) -> list[Unit]:
        """The lines of a unit as units again, as if nothing were known of the language."""
        kept, self._starts = self._starts, {}
        units = self._build(unit.start, unit.end, unit.parent)
        self._starts = kept
        return units

    def path_to(self, line: int) -> list[Unit]:
        """The units around a line, outermost first; the last is the innermost that has the line."""
        path: list[Unit] = []
        units = self.top
        while True:
            position = bisect_left([unit.end for unit in units], line + 1)
            if position == len(units) or units[position].start > line:
                return path
            unit = units[position]
            path.append(unit)
            if not unit.body <= line < unit.close:
                return path
            units = self.children(unit)

    def _build(self, start: int, end: int, parent: Unit | None) -> list[Unit]:
        units: list[Unit] = []
        base: int | None = None
        line = start
        while line < end:
            if not self.table.keys[line]:
                line += 1
                continue
            unit = self._unit_at(line, end, base, parent)
            depth = self.depths[unit.head]
            if unit.is_code and parent is not None and depth > parent.columns:
                base = depth if base is None else min(base, depth)
            units.append(unit)
            line = unit.end
        return units

    def _unit_at(self, line: int, limit: int, base: int | None, parent: Unit | None) -> Unit:
        kind = self.kinds[line] if self.kinds else LineKind.CODE
        columns = self.depths[line]
        if kind is not LineKind.CODE:
            note = self.shown[line].note if self.shown else ""
            return Unit(
                line, line, line + 1, line + 1, line + 1, self.table.columns[line], kind, note=note, parent=parent
            )
        is_item = self.table.lines[line].lstrip().startswith("- ")
        for declaration in () if is_item else self._starts.get(line, ()):
            if (declaration.end_line <= limit or self.kinds is not None) and (
                parent is None or declaration.header_line != parent.head
            ):
                return self._declared(declaration, limit, parent)
        is_outdented = base is not None and parent is not None and columns <= parent.columns
        return self._indented(line, limit, base if is_outdented and base is not None else columns, parent)

    def _declared(self, declaration: Declaration, limit: int, parent: Unit | None) -> Unit:
        table = self.table
        columns = self.depths[declaration.header_line]
        body = min(max(declaration.body_line, declaration.header_line + 1), limit)
        if any(span.start == declaration.header_line + 1 and span.stop >= body for span in table.strings):
            body = declaration.header_line + 1  # the rest of the header is text
        end = declaration.end_line if self.kinds is None else self._shown_end(declaration, body, limit, columns)
        body = min(body, end)
        close = end
        is_closed = close > body and self.depths[close - 1] <= columns and is_closer(table.lines[close - 1])
        if is_closed and not self._is_table(declaration.header_line, body, columns):
            close -= 1
        if close > body:
            close = max(body, table.trim_blank(body, close)[1])
        return Unit(
            declaration.start_line,
            declaration.header_line,
            body,
            close,
            end,
            columns,
            name=declaration.name,
            signature=declaration.signature,
            declares=declaration.kind,
            parent=parent,
        )

    def _is_table(self, head: int, body: int, columns: int) -> bool:
        """Whether settings follow the header, as deep as it: a bracket in the last line closes the last of these."""
        table = self.table
        first = self._next_line(body, len(table.keys))
        is_flat = first < len(table.keys) and self.depths[first] <= columns and not table.keys[first].startswith("{")
        return is_flat and table.keys[head].startswith("[") and not opens_bracket("".join(table.keys[head:body]))

    def _shown_end(self, declaration: Declaration, body: int, limit: int, columns: int) -> int:
        """Where a snippet's declaration ends by its indentation: elisions and cuts confuse a parser, not the eye.

        A header that opens nothing (SQL, sections of a document) says nothing by indentation: there the parse counts.
        """
        table = self.table
        if not _OPENER.search(table.lines[body - 1]) and declaration.end_line > body and self.depths[body] <= columns:
            return min(declaration.end_line, limit)
        end = body
        while end < limit and (not table.keys[end] or self._goes_on_inside(end, limit, columns)):
            end += 1
        end = table.trim_blank(declaration.header_line, end)[1]
        closer = self._next_line(end, limit)
        has_inside = end > body or _OPENER.search(table.lines[body - 1]) is not None
        is_closed = (
            has_inside and self._closes(closer, limit, columns) and self._is_its_tag(declaration.header_line, closer)
        )
        return closer + 1 if is_closed else end

    def _goes_on_inside(self, line: int, limit: int, columns: int) -> bool:
        """Whether a line belongs to the declaration whose header stands at `columns`: deeper, or in its midst."""
        table = self.table
        if self.depths[line] > columns or table.lines[line].strip() == "{":
            return True
        following = self._next_line(line + 1, limit)
        return bool(_MIDDLE.match(table.lines[line])) and following < limit and self.depths[following] > columns

    def _next_line(self, line: int, limit: int) -> int:
        """The first line from `line` on that isn't blank, or `limit`."""
        while line < limit and not self.table.keys[line]:
            line += 1
        return line

    def _indented(self, line: int, limit: int, columns: int, parent: Unit | None) -> Unit:
        table = self.table
        after = line + 1
        is_switch = bool(_SWITCH.match(table.lines[line]))
        while after < limit and (not table.keys[after] or self._is_inside(after, columns, is_switch)):
            after += 1
        _, close = table.trim_blank(line, after)
        end = close
        closer = self._next_line(close, limit)
        if close > line + 1 and self._closes(closer, limit, columns) and self._opens(line, closer):
            end = closer + 1
        return Unit(line, line, line + 1, close, end, table.columns[line], parent=parent)

    def _is_inside(self, line: int, columns: int, is_switch: bool) -> bool:
        """Whether a line belongs to the block whose header stands at `columns`; cases may stand below `switch`."""
        own = self.depths[line]
        return own > columns or (is_switch and own == columns and not is_closer(self.table.lines[line]))

    def _opens(self, start: int, close: int) -> bool:
        """Whether the lines [start, close) leave open the bracket that the line `close` begins with."""
        if self.kinds is not None and self.table.lines[start].rstrip().endswith(("(", "[")):
            return True
        if not self._is_its_tag(start, close):
            return False
        closing = self.table.keys[close][0]
        opening = _BRACKETS.get(closing)
        if opening is None or (self._is_elided(start, close) and self.table.lines[start].rstrip().endswith(opening)):
            return True
        text = "".join(self.table.keys[start:close]).lstrip(")]}")
        return text.count(opening) > text.count(closing)

    def _is_its_tag(self, header: int, closer: int) -> bool:
        """Whether a line that closes an element closes the one that the header opens; True of all other lines."""
        opened, closed = _TAG.match(self.table.lines[header]), _TAG.match(self.table.lines[closer])
        return opened is None or closed is None or opened.group(1) == closed.group(1)

    def _is_elided(self, start: int, end: int) -> bool:
        """Whether brackets may be missing from the lines because something there is elided."""
        return self.kinds is not None and any(
            kind in (LineKind.MARKER, LineKind.REMOVAL) for kind in self.kinds[start:end]
        )

    def _closes(self, line: int, limit: int, columns: int) -> bool:
        """Whether the line ends the block above it and starts none of its own (as `} else {` does)."""
        table = self.table
        if line >= limit or self.depths[line] > columns or not is_closer(table.lines[line]):
            return False
        if self.kinds and self.kinds[line] is not LineKind.CODE:
            return False
        following = self._next_line(line + 1, limit)
        return following >= limit or self.depths[following] <= columns
