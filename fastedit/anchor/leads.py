"""What stands above a declaration's header: comments, decorators, attributes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from fastedit.anchor import certainty as sure
from fastedit.anchor.chain import Level
from fastedit.anchor.indent import Reference
from fastedit.anchor.scope import Frame, Scope
from fastedit.anchor.text import LineTable
from fastedit.anchor.units import Unit

if TYPE_CHECKING:
    from fastedit.anchor.lazy import LazyAligner

_WORD = re.compile(r"[A-Za-z_$][\w$]+")
_DECORATOR = re.compile(r"^\s*(?:@\w|#!?\[|\[\w+.*\]\s*$)")


class LeadMerger:
    """Writes the leads of paired units to the aligner's pieces."""

    def __init__(self, aligner: LazyAligner) -> None:
        self.aligner = aligner
        self.mine = aligner.mine
        self.theirs = aligner.theirs
        self.pieces = aligner.pieces

    def merge(self, mine: Unit, theirs: Unit, scope: Scope, *, is_adjacent: bool) -> None:
        """Comments and decorators: what the snippet shows above its first line stays, what it shows is aligned.

        is_adjacent: the snippet shows what stands directly above, so that decorators it doesn't show are gone.
        """
        decorators = self._first_decorator(self.theirs, theirs)
        if mine.start == mine.head or self._is_rewrapped(mine, theirs):
            if mine.start == mine.head and is_adjacent and self._is_said_to_go(theirs.start, decorators):
                self.pieces.drop(decorators, sure.SAID_TO_GO * scope.certainty, "the words say that it goes")
            self.aligner.writer.keep(decorators, scope)
            if decorators < theirs.head and mine.start == mine.head and self._are_gone(theirs, decorators, is_adjacent):
                self.pieces.drop(theirs.head, sure.LOST_DECORATOR * scope.certainty, "a decorator that isn't shown")
            self.aligner.writer.keep(theirs.head, scope)
            return
        shows_comment = self._first_decorator(self.mine, mine) > mine.start
        if not shows_comment:
            if is_adjacent and self._is_said_to_go(theirs.start, decorators):
                self.pieces.drop(decorators, sure.SAID_TO_GO * scope.certainty, "the words say that it goes")
            self.aligner.writer.keep(decorators, scope)
        start = self.pieces.at
        my_lead = [
            Unit(n, n, n + 1, n + 1, n + 1, self.mine.columns[n]) for n in self._lines(self.mine, mine.start, mine.head)
        ]
        their_lead = [
            Unit(n, n, n + 1, n + 1, n + 1, self.theirs.columns[n], parent=theirs.parent)
            for n in self._lines(self.theirs, start, theirs.head)
        ]
        scope = replace(
            scope, reference=Reference(mine.head, mine.columns, self.aligner.writer.out_indent(theirs.head, scope))
        )
        is_open = self.aligner.cuts.follows_marker(mine) or not (
            is_adjacent or self._rewrites_comment(my_lead, their_lead)
        )
        level = Level(my_lead, their_lead, is_open_left=is_open)
        self.aligner.align_level(level, scope, theirs.head, Frame(None, theirs.parent, mine.start, mine.head))

    @staticmethod
    def _first_decorator(table: LineTable, unit: Unit) -> int:
        """The line of the unit's first decorator or attribute, its header where it has none."""
        for line in range(unit.start, unit.head):
            if _DECORATOR.match(table.lines[line]):
                return line
        return unit.head

    def _is_said_to_go(self, start: int, end: int) -> bool:
        """Whether the message quotes the comment as removed."""
        comment = [line.strip() for line in self.theirs.lines[start:end]]
        return bool(comment) and any(comment[0].startswith(gone) for gone in self.aligner.hints.gone)

    def _are_gone(self, theirs: Unit, start: int, is_adjacent: bool) -> bool:
        """Whether decorators that the snippet doesn't show are deleted: shown to be, or said to be."""
        if is_adjacent:
            return True
        hints = self.aligner.hints
        words = {word for line in self.theirs.lines[start : theirs.head] for word in _WORD.findall(line)}
        is_meant = theirs.name in hints.mentioned or not any(map(self.aligner.original.named, hints.mentioned - words))
        return bool(words) and words <= hints.removed and is_meant

    def _is_rewrapped(self, mine: Unit, theirs: Unit) -> bool:
        """Whether both leads say the same, broken into lines differently."""
        shown = _comment_words(self.mine.lines[mine.start : mine.head])
        return bool(shown) and shown == _comment_words(self.theirs.lines[theirs.start : theirs.head])

    def _rewrites_comment(self, mine: list[Unit], theirs: list[Unit]) -> bool:
        """Whether both leads begin with comment prose, so that the snippet's stands for the original's."""
        if not mine or not theirs:
            return False
        first, other = self.mine.lines[mine[0].head].strip(), self.theirs.lines[theirs[0].head].strip()
        return first[:2] == other[:2] and not first.startswith("@") and not first.startswith("#[")

    @staticmethod
    def _lines(table: LineTable, start: int, end: int) -> list[int]:
        return [line for line in range(start, end) if table.keys[line]]


def _comment_words(lines: list[str]) -> list[str]:
    return [word for line in lines for word in line.strip().lstrip("/*#-;! ").removesuffix("*/").split()]
