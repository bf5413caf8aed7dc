"""Aligns a lazy snippet with the original: declaration by declaration, then block by block and line by line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fastedit.anchor.chain import Chain, Level, Pair
from fastedit.anchor.cuts import Cuts
from fastedit.anchor.gap import GapFiller
from fastedit.anchor.hints import Hints
from fastedit.anchor.indent import Reference, nearest
from fastedit.anchor.levels import Levels, Protector
from fastedit.anchor.marked import Gap
from fastedit.anchor.merger import UnitMerger
from fastedit.anchor.pairing import Pairing
from fastedit.anchor.pieces import Pieces
from fastedit.anchor.scope import Findings, Frame, Scope
from fastedit.anchor.shifts import Shifts
from fastedit.anchor.similarity import Similarity
from fastedit.anchor.units import Unit, UnitTree
from fastedit.anchor.writer import Writer
from fastedit.edits.lazy import LineKind
from fastedit.lines import indent_of

_WORD = re.compile(r"[A-Za-z_$][\w$]+")


class LazyAligner:
    """Aligns one snippet; `run` gives the pieces of the result."""

    def __init__(self, snippet: UnitTree, original: UnitTree, hints: Hints | None = None) -> None:
        self.snippet = snippet
        self.hints = hints or Hints()
        self.original = original
        self.mine = snippet.table
        self.theirs = original.table
        self.similarity = Similarity(snippet, original)
        self.findings = Findings(self.mine.lines)
        self.cuts = Cuts(snippet)
        self.levels = Levels(self.similarity, self.hints)
        self.pairing = Pairing(self.similarity)
        self.shifts = Shifts(self.similarity)
        self.writer = Writer(snippet, original, self.cuts, self.findings)
        self.pieces = self.writer.pieces
        self.merger = UnitMerger(self)

    def run(self) -> Pieces:
        units = self.snippet.top
        opened = self.levels.unfolder.unfolded(units, self.original.top, 0, len(self.theirs), is_root=True)
        level = Level(units, opened, is_open_left=True, is_open_right=True)
        level.protects = self.levels.protector(units, None)
        self.align_level(level, Scope(None), len(self.theirs), Frame(is_root=True))
        return self.pieces

    def align_level(self, level: Level, scope: Scope, end: int, frame: Frame) -> None:
        """Aligns the units of a level up to line `end` of the original."""
        level = self.levels.prepared(level)
        pairs = Chain(level, self.pairing.candidates(level)).best()
        self._note_findings(level, pairs, frame)
        references = self._references(level, pairs, frame)
        filler = GapFiller(self, level, scope, references, frame)
        before: Pair | None = None
        previous_line = frame.my_start
        for pair in pairs:
            mine, theirs = level.mine[pair.mine], level.theirs[pair.theirs]
            filler.fill(self._gap(level, before, pair, theirs.start, previous_line, mine.start))
            is_direct = frame.is_direct(mine, theirs) and pair.mine not in level.unwrapped
            inner = scope if is_direct else self._scope_for(mine, theirs, scope, references)
            inner = replace(inner, certainty=scope.certainty * pair.certainty)
            is_adjacent = self._is_next(before, pair) and (before is not None or frame.mine is not None)
            if pair.mine in level.realigned:
                self.writer.replace(theirs.end, mine.head, mine.end, inner, pair)
            else:
                is_adjacent = is_adjacent and not self.cuts.is_cut_above(mine)
                self.merger.merge(mine, theirs, inner, pair, is_adjacent=is_adjacent)
            before, previous_line = pair, mine.end
        filler.fill(self._gap(level, before, None, end, previous_line, frame.my_end))
        self.findings.num_anchors += len(pairs)

    def _note_findings(self, level: Level, pairs: list[Pair], frame: Frame) -> None:
        """Notes on the level what only its pairs tell."""
        if self.levels.deletes_one(level, pairs):
            level.protects = Protector(False, frozenset())
        level.moved = self.shifts.moved(level, pairs)
        level.realigned = self.shifts.realigned(level, pairs)
        if frame.is_root:
            steps = self.writer.indenter.snippet_unit, self.writer.indenter.original_unit
            level.unwrapped = self.shifts.unwrapped(level, pairs, steps)

    def _gap(
        self,
        level: Level,
        before: Pair | None,
        after: Pair | None,
        end: int,
        my_before: int | None,
        my_after: int | None,
    ) -> Gap:
        shown = level.mine[before.mine + 1 if before else 0 : after.mine if after else len(level.mine)]
        units = [unit for unit in shown if unit.kind is not LineKind.REMOVAL]
        removed = _removed_units(
            shown, level.theirs[before.theirs + 1 if before else 0 : after.theirs if after else None]
        )
        content = level.theirs[before.theirs + 1 if before else 0 : after.theirs if after else len(level.theirs)]
        return Gap(units, self.pieces.at, end, content, my_before, my_after, before, after, removed)

    def _scope_for(self, mine: Unit, theirs: Unit, scope: Scope, references: list[Reference]) -> Scope:
        """How the lines of a unit that is wrapped or unwrapped are moved: to where the snippet now has them."""
        reference = nearest(references, mine.head) or scope.reference
        if reference is None:
            return scope
        old = indent_of(self.theirs.lines[theirs.head])
        return replace(scope, old=old, new=self.writer.indenter.indent(mine.columns, reference))

    def _references(self, level: Level, pairs: list[Pair], frame: Frame) -> list[Reference]:
        """The level's lines that stand in both texts, as references for the indentation of new ones."""
        references = []
        for pair in pairs:
            mine, theirs = level.mine[pair.mine], level.theirs[pair.theirs]
            if frame.is_direct(mine, theirs) and pair.mine not in level.unwrapped:
                references.append(Reference(mine.head, mine.columns, indent_of(self.theirs.lines[theirs.head])))
        return references

    @staticmethod
    def _is_next(before: Pair | None, pair: Pair) -> bool:
        """Whether a pair follows the one before it directly in both texts, or begins both."""
        mine, theirs = (before.mine, before.theirs) if before else (-1, -1)
        return mine + 1 == pair.mine and theirs + 1 == pair.theirs


def _removed_units(shown: Sequence[Unit], content: Sequence[Unit]) -> frozenset[int]:
    """The start lines of the original's units that the removal comments of a gap mean.

    Of several with the name the one nearest to the comment: the last one where no marker follows it.
    """
    starts: set[int] = set()
    for index, unit in enumerate(shown):
        if unit.kind is LineKind.REMOVAL:
            is_late = not any(other.is_marker for other in shown[index + 1 :])
            for word in _WORD.findall(unit.note):
                named = [other.start for other in content if other.name == word]
                if named:
                    starts.add(named[-1] if is_late else named[0])
    return frozenset(starts)
