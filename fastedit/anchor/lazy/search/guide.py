"""The forecast as the guide of a search: each row of a snippet beside each position of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.lazy.search.rows import Row

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastedit.anchor.lazy.search.grid import Grid
    from fastedit.anchor.lazy.search.paths import PathPlan

    Floats = NDArray[np.float32]

MAX_ODDS, LEAST_CHANCE = 6.0, -8.0  # no log odds are farther from 0, no log chance is less
UNSEEN_ODDS = -6.0  # of lines that the forecast didn't look at
AS_LIKELY = 0.7  # of the logarithms of two chances: so little apart, either may be meant
WRITTEN_ODDS = -2.0  # of going, for a line that an earlier snippet wrote
FATE_NEW, FATE_STAYS, FATE_LEFT_OUT = range(3)  # the columns of `Outcomes.fates`


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The network's word on tokens.

    gone: (N,), log odds that each line goes. new: (N,), log odds that something new comes before it. fates: (R, 3), log
    chances that a row is new, stands for lines that stay, or neither. places: (R, N), those that a row, where it is
    new, comes before each line.
    """

    gone: Floats
    new: Floats
    fates: Floats
    places: Floats


@dataclass(frozen=True, slots=True)
class SearchGuide:
    """The forecast for m rows of a snippet and n lines of a text, as the search adds it up.

    texts: of the rows. gone: (n,), log odds that each line goes. begins: (n + 1,), those that something new
    comes before it, or before what goes above it. fates: (m, 3), log chances that a row is new, stands for lines that
    stay, or neither. places: (m, n + 1), those that a new row comes before each line, or before what goes above it.
    """

    texts: tuple[str, ...]
    gone: Floats
    begins: Floats
    fates: Floats
    places: Floats

    def agrees(self, grid: Grid, plan: PathPlan) -> bool:
        """Whether the forecast finds nothing likelier than what a plan does with the snippet's rows and the lines."""
        fates, gone = np.full(grid.num_rows, FATE_LEFT_OUT), np.zeros(grid.num_lines, bool)
        gone[list(plan.deleted)] = True
        for row, (line, pair) in plan.quoted.items():
            stays = bool(grid.pairs[row].stays[pair])
            fates[row] = FATE_STAYS if stays else FATE_NEW
            gone[line] |= not stays
        for at, rows in plan.new.items():
            fates[rows] = FATE_NEW
            first = next((row for row in rows if not grid.rows[row].is_blank), None)
            if first is not None and self.places[first, at] < self.places[first].max() - AS_LIKELY:
                return False
        is_blank = np.array([row.is_blank for row in grid.rows], bool)
        if not (is_blank | (self.fates.argmax(axis=1) == fates)).all():
            return False
        # What goes elsewhere may be what another snippet changes.
        touched = [*plan.deleted, *(line for line, _ in plan.quoted.values()), *plan.new]
        known = slice(min(touched, default=0), max(touched, default=0))
        return not ((gone != (self.gone > 0)) & ~grid.is_blank[:-1])[known].any()


def guide_of(
    rows: Sequence[Row],
    told: Outcomes,
    first: int,
    looked_at: NDArray[np.int32],
    num_lines: int,
    numbers: Sequence[int | None],
) -> SearchGuide:
    """The forecast for the rows of one snippet and the lines of a text, by a network's outcomes.

    first: the message's row that is the first of these. looked_at: the lines of the original, of `num_lines`, that the
    outcomes are of, ascending. numbers: for each line of the text the original's line that it is, None for one that
    isn't there; then that of the end, never None.
    """
    own = slice(first, first + len(rows))
    going = np.full(num_lines + 1, UNSEEN_ODDS, np.float32)
    going[looked_at] = told.gone.clip(-MAX_ODDS, MAX_ODDS)
    ahead: list[int] = []
    for number in reversed(numbers):
        ahead.append(number if number is not None else ahead[-1])
    at = np.array(ahead[::-1], np.intp)
    is_here = np.array([number is not None for number in numbers[:-1]], bool)
    # New lines that come in the place of others stand before these by the forecast, and behind them by the search: each
    # position has the best of those above it, less what it takes that all lines between go.
    passed = np.concatenate([[0.0], np.cumsum(-np.logaddexp(0, -going[:-1]), dtype=np.float64)])
    above = np.searchsorted(looked_at, at, side="right") - 1

    def carried(values: Floats, least: float) -> Floats:
        best = np.maximum.accumulate(values - passed[looked_at], axis=-1)[..., above] + passed[at]
        return np.where(above >= 0, best, least).clip(least, None).astype(np.float32)

    return SearchGuide(
        tuple(row.text for row in rows),
        np.where(is_here, going[at[:-1]], np.float32(WRITTEN_ODDS)),
        carried(told.new.clip(-MAX_ODDS, MAX_ODDS), -MAX_ODDS),
        told.fates[own].clip(LEAST_CHANCE, None),
        carried(told.places[own], LEAST_CHANCE),
    )
