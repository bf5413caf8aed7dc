"""Facts of each change that a reading makes, by which it is judged by itself.

They tell what the snippet shows right above and below a change, how far the old lines are like the new ones, what the
forecast says of it, and which steps of the search led there. The network in `certainty` reads them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rapidfuzz.fuzz import ratio

from fastedit.anchor.lazy.forecast.network import OF_CHANGE
from fastedit.anchor.lazy.identity import columns_of, identity_of
from fastedit.anchor.lazy.lines import DOTS, WORD, Change, Lines
from fastedit.anchor.lazy.reading import Reading, SnippetReading
from fastedit.anchor.lazy.search.paths import Step
from fastedit.anchor.lazy.search.rows import Row

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# The line that a snippet shows right above or below the new ones, beside the one that the file has there.
_BESIDE = ("same", "trivial", "like", "marker", "edge", "elsewhere", "new", "none")
_BEFORE, _BEHIND = "TQNSDJB", ("Q", "M", "J", "D", "END", "B")
# insert, delete, replace; lines_old, lines_new: logarithms of their numbers; blank_old, blank_new: blank ones. found:
# the share of the new lines that a snippet shows in one run, broken: not all. above_..., below_...: see `_BESIDE`;
# ..._rare: one by how often the file has the line there; ..._apart: with a blank line between in one, not in the other;
# ..._column: it is that line, ..._askew: at another indentation. alike, alike_least, ..._first, ..._last: how far the
# old lines are like new ones, unlike: lines that aren't; same_identity, other_identity: of the first lines.
# gap_...: of what only goes, whether a snippet shows the lines around as neighbours, a marker there, or neither.
# known: the share of the words of old lines that the message has. code_odds, dots, note, note_gone: comments in what is
# new, and beside it. told_...: where the words say that the snippet goes. keys, proposal: what led there; worded: it
# is changed by words alone; else from_... and to_...: the search's states before and behind. forecast_...: see
# `OF_CHANGE`.
CHANGE_FACTS: tuple[str, ...] = (
    "insert", "delete", "replace", "lines_old", "lines_new", "blank_old", "blank_new", "found", "broken", "single",
    *(f"above_{kind}" for kind in _BESIDE), *(f"below_{kind}" for kind in _BESIDE),
    "above_rare", "below_rare", "above_apart", "below_apart", "above_column", "below_column", "above_askew",
    "below_askew", "alike", "alike_least", "alike_first", "alike_last", "unlike_old", "unlike_new", "alike_new_least",
    "same_identity", "other_identity", "gap_shown", "gap_from_marker", "gap_to_marker", "gap_edge", "gap_unshown",
    "known", "code_odds", "dots", "note", "note_gone", "told_at", "told_off", "told_near", "at_top", "at_end", "keys",
    "proposal", "worded", "folded", *(f"from_{state}" for state in _BEFORE), *(f"to_{state}" for state in _BEHIND),
    "changes", "readings", *(f"forecast_{name}" for name in OF_CHANGE),
)  # fmt: skip
MIN_LIKE, MAX_UNLIKE = 60.0, 45.0  # percent
MAX_PLACES = 12  # rows with one text that are looked at
MAX_COMPARED = 30  # lines of a change
LEAST_ODDS = -6.0
MIN_ELIDE, MAX_NOTE = -0.7, -0.9  # log odds of a row that is a marker, and of one that is rather none of the code


class _Shown(NamedTuple):
    """A line that a snippet shows. kind: `code`, `marker` or `note`; is_apart: whether a blank one stands before it."""

    kind: str
    key: str
    column: int
    is_apart: bool
    row: Row


class _Run(NamedTuple):
    """New lines as a snippet shows them, first to last. num_lines: how many of the change's these are."""

    num_lines: int
    shown: Sequence[_Shown]
    first: int
    last: int


_NO_RUN = _Run(0, (), 0, -1)


def facts_of_changes(reading: Reading, changes: Sequence[Change], num_readings: int) -> Floats:
    """(len(changes), len(CHANGE_FACTS)): the facts of each change of a reading.

    changes: lines [start, end) of the original that become others; ascending.
    """
    reader = _ChangeReader(reading)
    rows = [reader.facts(change, len(changes), num_readings) for change in changes]
    return np.array([[one[name] for name in CHANGE_FACTS] for one in rows], np.float64).reshape(-1, len(CHANGE_FACTS))


class _ChangeReader:
    """Reads the changes of one reading."""

    def __init__(self, reading: Reading) -> None:
        assert reading.original is not None
        self.original: Lines = reading.original
        self.parts = reading.parts
        self.proposed = {line for proposal in reading.proposals for line in proposal.gone}
        self.worded = reading.worded
        self.prose = reading.shown.prose if reading.shown is not None else ""
        self.snippets = [_shown(part.grid.rows) for part in reading.parts]
        self.forecast = reading.forecast

    @cached_property
    def _places(self) -> dict[str, list[tuple[int, int]]]:
        """A line without white space → the snippets, and where in them, that show it."""
        places: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, shown in enumerate(self.snippets):
            for at, one in enumerate(shown):
                places[one.key].append((number, at))
        return dict(places)

    @cached_property
    def _words(self) -> frozenset[str]:
        texts = [one.row.text for shown in self.snippets for one in shown]
        return frozenset(WORD.findall("\n".join([self.prose, *texts])))

    def facts(self, change: Change, num_changes: int, num_readings: int) -> dict[str, float]:
        """The facts of one change, by their names."""
        start, end, lines = change
        original = self.original
        f = dict.fromkeys(CHANGE_FACTS, 0.0)
        old = [line for line in range(start, end) if original.keys[line]]
        new = [line for line in lines if line.strip()]
        f["insert"], f["delete"], f["replace"] = float(not old), float(not new), float(bool(old and new))
        f["lines_old"], f["lines_new"] = math.log1p(len(old)), math.log1p(len(new))
        f["blank_old"], f["blank_new"] = float(min(3, end - start - len(old))), float(min(3, len(lines) - len(new)))
        f["single"] = float(len(new) == 1)
        f["changes"], f["readings"] = math.log1p(num_changes), float(num_readings)
        before, behind = original.beside(start, end)
        f["at_top"], f["at_end"] = float(before < 0), float(behind >= len(original))
        for name, line in (("above_rare", before), ("below_rare", behind)):
            if 0 <= line < len(original):
                f[name] = 1 / len(original.places[original.keys[line]])
        if new:
            self._add_run(f, change, new, before, behind)
        elif old:
            self._add_gap(f, before, behind)
        if old and new:
            _add_likeness(f, [original.stripped[line] for line in old], [line.strip() for line in new])
        words = [word for line in old for word in original.words(line)]
        f["known"] = sum(word in self._words for word in words) / len(words) if words else 0.0
        f["proposal"] = float(any(line in self.proposed for line in range(start, end)))
        f["worded"] = float(any(line in self.worded for line in range(start, max(end, start + 1))))
        self._add_steps(f, start, end)
        if self.forecast is not None:
            f.update(
                (f"forecast_{name}", told) for name, told in zip(OF_CHANGE, self.forecast.facts_of(change), strict=True)
            )
        return f

    # ---- what the snippets show ----------------------------------------------------------------------------------

    def _run(self, keys: Sequence[str]) -> _Run:
        """The longest run of a change's new lines that a snippet shows."""
        best = _NO_RUN
        for skipped in range(min(len(keys), 3)):
            for number, first in self._places.get(keys[skipped], ())[:MAX_PLACES]:
                shown, count, at = self.snippets[number], 0, first
                while at < len(shown) and skipped + count < len(keys):
                    if shown[at].key == keys[skipped + count]:
                        count += 1
                    elif shown[at].kind != "note":
                        break
                    at += 1
                if count > best.num_lines:
                    best = _Run(count, shown, first, at - 1)
            if best.num_lines == len(keys):
                break
        return best

    def _add_run(self, f: dict[str, float], change: Change, new: Sequence[str], before: int, behind: int) -> None:
        """Adds what a snippet shows of the new lines, and around them."""
        start, end, lines = change
        run = self._run(["".join(line.split()) for line in new])
        f["found"], f["broken"] = run.num_lines / len(new), float(0 < run.num_lines < len(new))
        f["dots"] = float(sum(DOTS.search(line) is not None for line in new))
        if not run.num_lines:
            f["above_none"] = f["below_none"] = 1.0
            return
        above, notes_above = _neighbour(run.shown, run.first, -1)
        below, notes_below = _neighbour(run.shown, run.last, 1)
        f["note"] = float(bool(notes_above))
        f["note_gone"] = max([LEAST_ODDS, *(one.row.role("gone") for one in (*notes_above, *notes_below))])
        own = run.shown[run.first : run.last + 1]
        f["code_odds"] = min([0.0, *(max(LEAST_ODDS, one.row.role("code")) for one in own if one.row.note is not None)])
        f[f"above_{self._beside(above, before)}"] = 1.0
        f[f"below_{self._beside(below, behind)}"] = 1.0
        original = self.original
        if above is not None and before >= 0 and above.kind == "code" and above.key == original.keys[before]:
            f["above_column"] = 1.0
            f["above_askew"] = float(own[0].column - above.column != columns_of(new[0]) - original.columns[before])
            is_apart = not lines[0].strip() or start > before + 1
            f["above_apart"] = float(is_apart != own[0].is_apart)
        is_known = below is not None and behind < len(original) and below.kind == "code"
        if is_known and below is not None and below.key == original.keys[behind]:
            f["below_column"] = 1.0
            f["below_askew"] = float(below.column - own[-1].column != original.columns[behind] - columns_of(new[-1]))
            is_apart = not lines[-1].strip() or behind > end
            f["below_apart"] = float(is_apart != below.is_apart)

    def _beside(self, shown: _Shown | None, line: int) -> str:
        """Tells how a line that a snippet shows agrees with the one that the file has there, see `_BESIDE`."""
        if shown is None:
            return "edge"
        if shown.kind == "marker":
            return "marker"
        original = self.original
        if 0 <= line < len(original):
            if shown.key == original.keys[line]:
                return "trivial" if original.is_trivial[line] else "same"
            if ratio(shown.key, original.keys[line]) >= MIN_LIKE:
                return "like"
        return "elsewhere" if shown.key in original.places else "new"

    def _add_gap(self, f: dict[str, float], before: int, behind: int) -> None:
        """Adds whether a snippet shows the lines around what only goes as neighbours."""
        keys = self.original.keys
        above = list(self._neighbours(keys[before] if before >= 0 else "", 1))
        below = list(self._neighbours(keys[behind] if behind < len(keys) else "", -1))
        f["gap_edge"] = float(None in (*above, *below))
        f["gap_shown"] = float(any(one is not None and one.key == keys[behind] for one in above if behind < len(keys)))
        f["gap_from_marker"] = float(any(one is not None and one.kind == "marker" for one in above))
        f["gap_to_marker"] = float(any(one is not None and one.kind == "marker" for one in below))
        f["gap_unshown"] = float(not any(f[f"gap_{name}"] for name in ("edge", "shown", "from_marker", "to_marker")))

    def _neighbours(self, key: str, step: int) -> Iterator[_Shown | None]:
        """Yields what stands beside a line wherever a snippet shows it; None at an end of the snippet."""
        for number, at in self._places.get(key, ())[:MAX_PLACES] if key else ():
            yield _neighbour(self.snippets[number], at, step)[0]

    # ---- the steps that led there --------------------------------------------------------------------------------

    def _add_steps(self, f: dict[str, float], start: int, end: int) -> None:
        """Adds which steps of the search led to the change, and whether the words place it there."""
        most: tuple[SnippetReading, list[int]] | None = None
        for part in self.parts:
            f["keys"] = max(f["keys"], float(part.taste.by_keys))
            if part.grid.fold is not None:
                f["folded"] = 1.0
                continue
            rows = [row for at, new in part.plan.new.items() if start <= at <= end for row in new]
            rows += [row for row, (line, _) in part.plan.quoted.items() if start <= line < end]
            rows = sorted(row for row in rows if not part.grid.rows[row].is_blank)
            if rows and (most is None or len(rows) > len(most[1])):
                most = part, rows
        if most is None:
            return
        part, rows = most
        steps = part.path.steps
        taken = {step.target.row - 1: number for number, step in enumerate(steps) if step.target.state in "QNM"}
        known = [taken[row] for row in rows if row in taken]
        if known:
            f[f"from_{_state(steps[known[0]])}"] = 1.0
        if known and known[-1] + 1 < len(steps):
            state = steps[known[-1] + 1].target.state
            f[f"to_{ {'S': 'M', 'N': 'Q', 'T': 'B'}.get(state, state) }"] = 1.0
        told = part.grid.told
        if told.at is not None:
            f["told_at"], f["told_off"] = float(told.at[start]), float(not told.at[start])
        if told.near is not None:
            f["told_near"] = float(told.near[start] - told.near.max())


def _state(step: Step) -> str:
    return "S" if step.source.state == "M" else step.source.state


def _shown(rows: Sequence[Row]) -> list[_Shown]:
    """The rows of a snippet that aren't blank."""
    result, is_apart = [], False
    for row in rows:
        if row.is_blank:
            is_apart = True
            continue
        is_note = row.note is not None and row.role("code") < MAX_NOTE
        kind = "marker" if row.is_dots or row.role("elide") > MIN_ELIDE else "note" if is_note else "code"
        result.append(_Shown(kind, "".join(row.text.split()), columns_of(row.text), is_apart, row))
        is_apart = False
    return result


def _neighbour(shown: Sequence[_Shown], at: int, step: int) -> tuple[_Shown | None, list[_Shown]]:
    """The next line of a snippet that is no note, None at its end, and the notes before it."""
    notes = []
    at += step
    while 0 <= at < len(shown) and shown[at].kind == "note":
        notes.append(shown[at])
        at += step
    return (shown[at] if 0 <= at < len(shown) else None), notes


def _add_likeness(f: dict[str, float], old: Sequence[str], new: Sequence[str]) -> None:
    """Adds how far the lines that go and those that come are alike."""
    old, new = old[:MAX_COMPARED], new[:MAX_COMPARED]
    table = np.array([[ratio(one, other) for other in new] for one in old])
    by_old, by_new = table.max(axis=1), table.max(axis=0)
    f["alike"], f["alike_least"] = float(by_old.mean()) / 100, float(by_old.min()) / 100
    f["alike_first"], f["alike_last"] = float(table[0, 0]) / 100, float(table[-1, -1]) / 100
    f["alike_new_least"] = float(by_new.min()) / 100
    f["unlike_old"] = math.log1p(int((by_old < MAX_UNLIKE).sum()))
    f["unlike_new"] = math.log1p(int((by_new < MAX_UNLIKE).sum()))
    first, other = identity_of(old[0]), identity_of(new[0])
    if first is not None and other is not None:
        f["same_identity"] = float(first == other)
        f["other_identity"] = float(first != other and first.kind == other.kind)
