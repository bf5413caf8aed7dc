"""The ways to write what a path comes to: one text for each way to have its blank lines and its columns.

Mostly the file's habits tell both. Where the snippet shows something else, or words ask for it, that is a text, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fastedit.anchor.lazy.blanks import AddedBlanks
from fastedit.anchor.lazy.columns import Cell, Columns, changes_of
from fastedit.anchor.lazy.lines import Change
from fastedit.anchor.lazy.realise import Realiser

# The last of the facts of a result.
SPACES = (
    "blanks_told", "blanks_said", "blanks_around", "blanks_even", "blanks_even_headed", "blanks_even_lines",
    "blanks_even_closing", "blanks_shown", "blanks_shown_between", "blanks_shown_note", "blanks_shown_edge",
    "columns_shown", "columns_shown_new", "columns_shown_changed", "columns_shown_same", "columns_shown_staying",
    "columns_shown_scaled",
)  # fmt: skip
HEADING = ("decl", "heading", "table", "selector", "decorator")
MAX_SHOWN = 3  # places
_ASKED = (AddedBlanks.BEFORE, AddedBlanks.BEHIND, AddedBlanks.AROUND)


class Written(NamedTuple):
    """One text of a path.

    changes: those of the original that make it. facts: `SPACES`. is_as_shown: whether it has white space that only the
    snippet speaks for; another path may come to it without.
    """

    cells: tuple[Cell, ...]
    changes: Sequence[Change]
    facts: tuple[float, ...]
    is_as_shown: bool


def ways_to_write(usual: Realiser, told: bool, said: bool) -> Iterator[Written]:
    """Yields the texts of a plan, given the realiser that writes it by the file's habits.

    told, said: whether its words, or any words, ask for a blank line.
    """
    grid, plan = usual.grid, usual.plan
    yield from _written(usual, usual, told)
    ways = [(added, False) for added in _ASKED] if (told or said) and plan.new else []
    ways += [(added, False) for added in _doubts(usual)]
    shown = Realiser(grid, plan, as_shown=True)
    if any(shown.columns.moves_from(usual.columns)):
        yield from _written(shown, usual, told)
        ways += [(added, True) for added in _doubts(shown)]
    for added, as_shown in ways:
        yield from _written(Realiser(grid, plan, added, as_shown), usual, told)


def _doubts(realiser: Realiser) -> list[AddedBlanks]:
    """The other ways to have blank lines that made a difference to a text that is written already."""
    even = [AddedBlanks.EVEN] if realiser.uneven else []
    return [*even, AddedBlanks.SHOWN] if realiser.unshown else even


def _written(realiser: Realiser, usual: Realiser, told: bool) -> Iterator[Written]:
    """Yields the text of a realiser, if it is one. usual: the one that writes by the file's habits alone."""
    grid, added, as_shown = realiser.grid, realiser.added_blanks, realiser.columns.as_shown
    cells = tuple(realiser.cells())
    changes = grid.unfolded(changes_of(cells, len(grid.original)))
    if changes is None:  # a fold hides what they touch
        return
    is_asked = added in _ASKED
    asked = is_asked and told, is_asked and not told, added is AddedBlanks.AROUND
    facts = (
        *map(float, asked),
        *(_told_even(realiser) if added is AddedBlanks.EVEN else (0.0,) * 4),
        *(_told_shown(realiser) if added is AddedBlanks.SHOWN else (0.0,) * 4),
        *(_told_moved(realiser.columns, usual.columns) if as_shown else (0.0,) * 6),
    )
    yield Written(cells, changes, facts, as_shown or added is AddedBlanks.SHOWN)


def _told_even(realiser: Realiser) -> tuple[float, ...]:
    """1, whether new lines begin with a comment or a declaration, how many they are, whether they end a block."""
    grid, first = realiser.grid, realiser.uneven[0]
    identity = grid.leading_identity(first)
    is_headed = grid.shown.is_comment(first) or (identity is not None and identity.kind in HEADING)
    num_rows = max(len(rows) for rows in realiser.plan.new.values())
    return 1.0, float(is_headed), math.log1p(num_rows), float(realiser.is_closing)


def _told_shown(realiser: Realiser) -> tuple[float, ...]:
    """1, and how often the blank lines stand between lines of the file, beside a note, at the snippet's edge."""
    return 1.0, *(float(min(MAX_SHOWN, realiser.unshown[where])) for where in ("between", "note", "edge"))


def _told_moved(made: Columns, usual: Columns) -> tuple[float, ...]:
    """1, the rows that stand elsewhere than they usually would, whether steps are known to be of another width."""
    return 1.0, *map(math.log1p, made.moves_from(usual)), float(usual.is_scaled)
