"""The forecast as it leads a search: each row of a snippet beside each position of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.lazy.rows import Row

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastedit.anchor.lazy.forecast import Outcomes
    from fastedit.anchor.lazy.grid import Grid
    from fastedit.anchor.lazy.paths import PathPlan

    Floats = NDArray[np.float32]

MAX_ODDS, LEAST_CHANCE = 6.0, -8.0  # no log odds are farther from 0, no log chance is less
UNSEEN_ODDS = -6.0  # of lines that the forecast didn't look at
AS_LIKELY = 0.7  # of the logarithms of two chances: so little apart, either may be meant
WRITTEN_ODDS = -2.0  # of going, for a line that an earlier snippet wrote
FATE_NEW, FATE_STAYS, FATE_LEFT_OUT = range(3)  # the columns of `Outcomes.fates`


@dataclass(frozen=True, slots=True)
class Foretold:
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

    def seen(self, numbers: Sequence[int | None]) -> Foretold:
        """The forecast for other lines.

        numbers: for each of them the line that it is here, None for one that isn't; then that of the end, never None.
        """
        if numbers == range(len(self.begins)):
            return self
        ahead: list[int] = []
        for number in reversed(numbers):
            ahead.append(number if number is not None else ahead[-1])
        at = np.array(ahead[::-1], np.intp)
        is_here = np.array([number is not None for number in numbers[:-1]], bool)
        gone = np.where(is_here, np.append(self.gone, np.float32(0))[at[:-1]], np.float32(WRITTEN_ODDS))
        return Foretold(self.texts, gone, self.begins[at], self.fates, self.places[:, at])

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


def foretold_of(
    rows: Sequence[Row], told: Outcomes, first: int, numbers: NDArray[np.int32], num_lines: int
) -> Foretold:
    """The forecast for the rows of one snippet, by a network's outcomes.

    first: the message's row that is the first of these. numbers: the lines of the original that the network looked at.
    num_lines: of the original.
    """
    own = slice(first, first + len(rows))
    going = np.full(num_lines + 1, UNSEEN_ODDS, np.float32)
    begins = np.full(num_lines + 1, UNSEEN_ODDS, np.float32)
    going[numbers], begins[numbers] = (odds.clip(-MAX_ODDS, MAX_ODDS) for odds in (told.gone, told.new))
    chances = np.full((len(rows), num_lines + 1), LEAST_CHANCE, np.float32)
    chances[:, numbers] = told.places[own]
    # New lines that come in the place of others stand before these by the forecast, and behind them by the search.
    passed = np.concatenate([[0.0], np.cumsum(-np.logaddexp(0, -going[:-1]), dtype=np.float64)])
    return Foretold(
        tuple(row.text for row in rows),
        going[:-1],
        _carried(begins, passed).clip(-MAX_ODDS, None),
        told.fates[own].clip(LEAST_CHANCE, None),
        _carried(chances, passed).clip(LEAST_CHANCE, None),
    )


def _carried(values: Floats, passed: NDArray[np.float64]) -> Floats:
    """The largest of the values at and before each position, less what it takes to pass the lines between.

    passed: (n + 1,), the logarithms of the chances that all lines before each position go.
    """
    return np.asarray(np.maximum.accumulate(values - passed, axis=-1) + passed, np.float32)
