"""Broken code read piece by piece, so that one lost bracket hides one declaration and not all that follow.

The pieces are what usual indentation makes of the text: a line as far out as can be starts one.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from fastedit.lines import indent_of
from fastedit.syntax.found import Found, settle
from fastedit.syntax.model import Declaration, Outline
from fastedit.syntax.snippet import snippet_outline

# A line that goes on with the one above, whatever its indentation.
_CONTINUES = re.compile(
    r"[\])}>;,|&.]|->|(?:end|else|elif|elsif|except|rescue|ensure|finally|catch|then|do|done|fi|esac)\b|\{\s*$"
)
_UNFINISHED = (",", "(", "[", "=", "\\")
_LEADS = re.compile(r"@|#|//|/?\*|--|\[[\w<]|template\b")
_MAX_NESTING = 3
_PIECE_BUDGET_S = 0.1


def read_in_pieces(text: str, language: str, whole: Outline, *, deadline: float) -> Outline:
    """The outline that the text's pieces give together, `whole` where that declares as much.

    num_errors stays that of the whole text.
    """
    pieces = _Pieces(text.split("\n"), language, deadline)
    pieces.add(0, len(pieces.lines), -1, 0)
    found = settle(pieces.found)
    if not pieces.is_complete or _num_named(found) <= _num_named(whole.declarations):
        return whole
    return replace(whole, declarations=found)


def _num_named(declarations: tuple[Declaration, ...]) -> int:
    return sum(declaration.kind in ("function", "class") for declaration in declarations)


@dataclass(slots=True)
class _Pieces:
    """Reads the lines of a text piece by piece; what they declare goes to `found`."""

    lines: list[str]
    language: str
    deadline: float
    found: list[Found] = field(default_factory=list)
    is_complete: bool = True

    def add(self, start: int, end: int, parent: int, nesting: int) -> None:
        """Reads the lines [start, end), which belong to the declaration with the index `parent`."""
        for first, behind in self._pieces(start, end):
            if time.monotonic() > self.deadline:
                self.is_complete = False
                return
            read = self._read(first, behind, nesting)
            inner = self._inner(first, behind) if read.num_errors and nesting < _MAX_NESTING else None
            if inner is not None and self._add_container(first, behind, inner, parent, nesting):
                self.add(*inner, len(self.found) - 1, nesting + 1)
            else:
                self._add(read, first, parent)

    def _read(self, first: int, behind: int, nesting: int) -> Outline:
        lines = self.lines[first:behind]
        return snippet_outline(lines, self.language, budget_s=_PIECE_BUDGET_S, is_framed=nesting > 0)

    def _add(self, read: Outline, first: int, parent: int) -> None:
        first_index = len(self.found)
        for item in read.declarations:
            self.found.append(
                Found(
                    kind=item.kind,
                    name=item.name,
                    start_line=first + item.start_line,
                    header_line=first + item.header_line,
                    body_line=first + item.body_line,
                    end_line=first + item.end_line,
                    parent=parent if item.parent < 0 else first_index + item.parent,
                    signature=item.signature,
                )
            )

    def _add_container(self, first: int, behind: int, inner: tuple[int, int], parent: int, nesting: int) -> bool:
        """Adds the piece's own declaration without its members; False where it has none or has no members."""
        head = self._read(first, inner[0], nesting)
        if not head.declarations or head.declarations[-1].kind == "function":
            return False
        self._add(head, first, parent)
        self.found[-1].end_line = behind
        return True

    def _inner(self, first: int, behind: int) -> tuple[int, int] | None:
        """The lines of a piece that are further in than its header, None where there are none."""
        header = first
        while header < behind and (_LEADS.match(self.lines[header].strip()) or not self.lines[header].strip()):
            header += 1
        outer = self._indent(min(header, behind - 1))
        deeper = [line for line in range(header, behind) if self.lines[line].strip() and self._indent(line) > outer]
        return (deeper[0], deeper[-1] + 1) if deeper else None

    def _goes_on(self, line: int) -> bool:
        """Whether the line can't be the last one of what it belongs to."""
        return self.lines[line].rstrip()[-1:] in _UNFINISHED

    def _indent(self, line: int) -> int:
        return len(indent_of(self.lines[line]))

    def _pieces(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yields the pieces of lines [start, end) without blank lines at their ends; lines without a body share one."""
        heads = self._heads(start, end)
        for head, behind in zip(heads, [*heads[1:], end], strict=False):
            while behind > head and not self.lines[behind - 1].strip():
                behind -= 1
            yield head, behind

    def _heads(self, start: int, end: int) -> list[int]:
        """The lines that start pieces: the outermost ones that don't go on, each with the comments above it."""
        filled = [line for line in range(start, end) if self.lines[line].strip()]
        starting = [line for line in filled if not _CONTINUES.match(self.lines[line].strip())]
        outer = min((self._indent(line) for line in starting), default=0)
        heads: list[int] = []
        is_lead = is_alone = False
        for position, line in enumerate(filled):
            text = self.lines[line].strip()
            if heads and (self._indent(line) > outer or _CONTINUES.match(text) or self._goes_on(line - 1)):
                is_alone = False
                continue
            has_more = position + 1 < len(filled) and self._indent(filled[position + 1]) > outer
            if not heads or not (is_lead or (is_alone and not has_more)):
                heads.append(line)
            is_lead = _LEADS.match(text) is not None
            is_alone = not has_more
        return heads
