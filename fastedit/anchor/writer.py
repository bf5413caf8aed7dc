"""Lines of the result as they are written: kept ones moved with what they stand in, the snippet's indented anew."""

from __future__ import annotations

from fastedit.anchor import certainty as sure
from fastedit.anchor.chain import Pair
from fastedit.anchor.cuts import Cuts
from fastedit.anchor.indent import Indenter, Reference, shift_line
from fastedit.anchor.pieces import Pieces
from fastedit.anchor.scope import Findings, Scope
from fastedit.anchor.units import Unit, UnitTree
from fastedit.edits.lazy import LineKind
from fastedit.lines import indent_of


class Writer:
    """Writes the pieces of one alignment."""

    def __init__(self, snippet: UnitTree, original: UnitTree, cuts: Cuts, findings: Findings) -> None:
        self.snippet = snippet
        self.mine = snippet.table
        self.theirs = original.table
        self.cuts = cuts
        self.findings = findings
        self.indenter = Indenter(self.mine, self.theirs)
        self.pieces = Pieces()

    def out_indent(self, line: int, scope: Scope) -> str:
        """The indentation that a line of the original has in the result."""
        return indent_of(shift_line(self.theirs.lines[line], scope.old, scope.new))

    def shifted(self, lines: list[str], scope: Scope) -> list[str]:
        """Lines of the original, moved as the scope says."""
        return [shift_line(line, scope.old, scope.new) for line in lines]

    def keep(self, end: int, scope: Scope) -> None:
        """The original stays up to line `end`, moved as the scope says."""
        if scope.is_shifted:
            lines = self.shifted(self.theirs.lines[self.pieces.at : end], scope)
            self.pieces.replace(end, lines, sure.RE_INDENTED * scope.certainty, "re-indented")
        else:
            self.pieces.keep(end)

    def replace(self, end: int, my_start: int, my_end: int, scope: Scope, pair: Pair | None) -> None:
        """The snippet's lines [my_start, my_end) stand for the original up to `end`."""
        at = self.pieces.at
        first, _ = self.theirs.trim_blank(at, end)
        mine, _ = self.mine.trim_blank(my_start, my_end)
        mine = mine if mine < my_end else my_start
        reference = Reference(mine, self.mine.columns[mine], self.out_indent(first if first < end else at, scope))
        lines = [self.written(line, reference) for line in range(my_start, my_end)]
        certainty = sure.CHANGED if pair is None else min(sure.CHANGED, 0.75 + 0.25 * pair.ratio)
        self.pieces.replace(end, lines, certainty * scope.certainty, "changed")

    def write_new(self, unit: Unit, reference: Reference) -> list[str]:
        """The lines of a unit that the original doesn't have, markers left out."""
        shown = self.snippet.shown or ()
        lines: list[str] = []
        for line in range(unit.start, unit.end):
            if shown[line].whole is not None and self.cuts.is_stub(unit, line + 1):
                lines.append(self.indenter.rewrite(shown[line].whole or "", self.mine.columns[line], reference))
            elif shown[line].kind in (LineKind.CODE, LineKind.BLANK):
                lines.append(self.written(line, reference))
            elif not self.cuts.is_stub(unit, line):
                self.findings.contradicted.append(unit)
            elif not shown[line].is_part:
                lines.append(self.written(line, reference))
        return lines

    def written(self, line: int, reference: Reference) -> str:
        """A line of the snippet as it stands in the result."""
        return self.indenter.rewrite(self.mine.lines[line], self.mine.columns[line], reference)
