"""The likeliest alignments of a lazy edit with its original, each with its certainty: the share of such that are right.

The score compares readings of one edit with each other; whether the best of them is right also depends on what all of
them have in common. A small network over plain facts of the likeliest reading says so; `fastedit.training.alignment`
fits it to edits with known results, edits that have to be refused among them.

A result is right only where all of its changes are, so the weakest one says most about it; features summed up over the
whole result hide it. So each change is also judged by itself: another network, fitted to changes of readings whose
results are known, reads plain facts of one: what the snippet shows right above and below it, how far the old lines are
like the new ones, which steps of the search led there.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rapidfuzz.fuzz import ratio

from fastedit.anchor.alignment import Alignment, Segment, SegmentKind
from fastedit.anchor.lazy.facts import FACTS
from fastedit.anchor.lazy.features import LIKE, LIKE_BY
from fastedit.anchor.lazy.forecast import FORECAST, OF_CHANGE
from fastedit.anchor.lazy.lines import DOTS, WORD, Change, Lines, columns_of, identity_of
from fastedit.anchor.lazy.message import TOLD, told_by
from fastedit.anchor.lazy.paths import Step
from fastedit.anchor.lazy.reading import NAMES, WHOLE, Reading, SnippetReading, probabilities
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.rows import Row
from fastedit.edits.model import Snippet
from fastedit.syntax.model import Outline

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
# new, and beside it. told_...: where the words say that the snippet goes. keys, proposal: what led there, else from_...
# and to_...: the search's states before and behind. forecast_...: see `OF_CHANGE`.
CHANGE_FACTS: tuple[str, ...] = (
    "insert", "delete", "replace", "lines_old", "lines_new", "blank_old", "blank_new", "found", "broken", "single",
    *(f"above_{kind}" for kind in _BESIDE), *(f"below_{kind}" for kind in _BESIDE),
    "above_rare", "below_rare", "above_apart", "below_apart", "above_column", "below_column", "above_askew",
    "below_askew", "alike", "alike_least", "alike_first", "alike_last", "unlike_old", "unlike_new", "alike_new_least",
    "same_identity", "other_identity", "gap_shown", "gap_from_marker", "gap_to_marker", "gap_edge", "gap_unshown",
    "known", "code_odds", "dots", "note", "note_gone", "told_at", "told_off", "told_near", "at_top", "at_end", "keys",
    "proposal", "folded", *(f"from_{state}" for state in _BEFORE), *(f"to_{state}" for state in _BEHIND),
    "changes", "readings", *(f"forecast_{name}" for name in OF_CHANGE),
)  # fmt: skip
# Of a reading: the logarithm of the chance that all of its changes are right, and its mean; the least chance of one as
# it is and as odds, the two least together; how many changes there are.
CHANGE_FACTORS = ("all", "mean", "least", "least_odds", "two_least", "number")
# Of a message, whatever becomes of it: logarithms of the numbers of its words, quotes, sentences, lines shown, those of
# them with dots, and words to a line; without any dots; dots in a snippet's first line, and in its last. How much is
# asked for in how many words tells edits apart that are equally hard line by line.
MESSAGE_FACTORS = (
    "words", "quotes", "sentences", "lines", "markers", "words_a_line", "unmarked", "opens_marked", "ends_marked",
)  # fmt: skip
# Of the likeliest reading by the forecast of what becomes of each line: how much likelier than the best other one.
FORECAST_FACTORS = (*FORECAST, "forecast_ahead")
MIN_LIKE, MAX_UNLIKE = 60.0, 45.0  # percent
MAX_PLACES = 12  # rows with one text that are looked at
MAX_COMPARED = 30  # lines of a change
MIN_ELIDE, MAX_NOTE = -0.7, -0.9  # log odds of a row that is a marker, and of one that is rather none of the code
LEAST_ODDS = -6.0
MAX_DEVIATIONS = 5.0
SURE = 1e-3  # no chance is nearer to 0 or 1
_SENTENCE_END = re.compile(r"[.!?:](?:\s|$)")
_CHANGES_FILE = Path(__file__).with_name("changes.npz")
_READINGS_FILE = Path(__file__).with_name("certainty.npz")
_CALIBRATION_FILE = Path(__file__).with_name("certainty.json")
_FORECAST_AT = WHOLE.index(FORECAST[0])
_FORECAST_SUMS = ("forecast_gone", "forecast_new", "forecast_place", "forecast_rows")
FAR_BEHIND = 9.0  # where there is no second reading
_INDEX = {name: number for number, name in enumerate(NAMES)}
_COUNTED = (
    "same", "same_trivial", "loose", "loose_abbreviated", "like", "like_by", "identity_other", "parent_other",
    "parent_new", "like_parent_other", "like_line_shown", "named_not", "shift_other", "new", "new_known",
    "new_declared", "new_like", "new_dots", "new_note", "new_after_marker", "new_after_jump", "new_at_start",
    "far_fits_none", "near_fits_none", "near_captures", "far_captures", "far_declared_inside", "far_inside_named",
    "far_outside_named", "far_outside_parent", "deleted", "deleted_header", "deleted_shown", "delete_after_marker",
    "delete_to_marker", "delete_to_end", "delete_to_quote", "delete_to_new", "jump", "jumped_shown", "marker_empty",
    "elided_shown", "elided_outdents", "note", "note_code", "back", "end_deleted", "end_new", "several",
    "keeps_notes", "keeps_stubs", "joins", "by_keys", "note_quotes", "owner_other", "like_owner_other", "owner_new",
    "like_though_loose", "removes_kept", "removes_block", "removes_line", "removes_used", "removes_move",
    "repeated", "spoken_any", "reworded_rename", "reworded_line", "reworded_line_far", "reworded_insert", "spoken_span",
    "beside_comment", "beside_blank", "beside_edge", "repeated_like",
    *(name for name in WHOLE if name not in FORECAST),
)  # fmt: skip
FACTORS: tuple[str, ...] = (
    "share", "odds", "odds_near", "num_rows", "num_parts", "num_same", "share_same", "share_like", "unlike",
    "no_anchor", "rivals", "score_row", "twin", "twin_share", "twin_new", "twin_new_share",
    *(f"count_{name}" for name in _COUNTED), *(f"fact_{name}" for name in FACTS), *(f"told_{name}" for name in TOLD),
    *(f"message_{name}" for name in MESSAGE_FACTORS), *FORECAST_FACTORS,
    *(f"changes_{name}" for name in CHANGE_FACTORS),
)  # fmt: skip
__all__ = ["align_lazy"]
NUM_JUDGED = 3  # readings whose certainty is worth its time
NOTE_ODDS = -1.5  # a comment that is likelier to be code than this isn't surely a note
SECOND_BEST = 0.9  # a reading that counts only because a likelier one was turned down is right less often


def factors_of(readings: Sequence[Reading], chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """(len(FACTORS),): what tells how certain the first of the readings is. chances: of its changes."""
    best = readings[0]
    total = best.features().astype(np.float64)
    behind = best.score - readings[1].score if len(readings) > 1 else FAR_BEHIND
    rows = sum(not row.is_blank for part in best.parts for row in part.grid.rows)
    code = total[_INDEX["same"]] + total[_INDEX["like"]] + total[_INDEX["loose"]] + total[_INDEX["new"]]
    same = total[_INDEX["same"]]
    unlike = 0.0
    for part in best.parts:
        for row, (_, pair) in part.plan.quoted.items():
            features = part.grid.pairs[row].features[pair]
            if features[LIKE]:
                unlike = max(unlike, 0.5 - float(features[LIKE_BY]))
    values = [
        *shares_of(best.probability, behind).values(),
        math.log1p(rows),
        math.log1p(len(best.parts)),
        min(3.0, math.log1p(same)),
        same / max(1.0, code),
        total[_INDEX["like"]] / max(1.0, code),
        unlike,
        float(same < 1),
        math.log1p(len(readings) - 1),
        max(-2.0, min(3.0, best.score / max(1, rows))),
        *_twin(readings),
        *(min(3.0, math.log1p(max(0.0, total[_INDEX[name]]))) for name in _COUNTED),
        *(min(4.0, total[_INDEX[name]]) for name in FACTS),
        *_told(best),
        *_of_message(best),
        *_forecast(readings),
        *change_factors(chances),
    ]
    return np.array(values, np.float64)


def _twin(readings: Sequence[Reading]) -> tuple[float, float, float, float]:
    """Whether another reading does the same elsewhere, and how likely it is beside the first.

    The first two where lines change or go, the others where lines are only new: these fit in many places.
    """
    best = readings[0]
    texts = best.original.texts if best.original is not None else ()
    done = _done(best, texts)
    twin = next((one for one in readings[1:] if _done(one, texts) == done), None) if done else None
    if twin is None:
        return 0.0, 0.0, 0.0, 0.0
    share = twin.probability / max(1e-6, best.probability)
    return (1.0, share, 0.0, 0.0) if any(old for old, _ in done) else (0.0, 0.0, 1.0, share)


def _done(reading: Reading, texts: Sequence[str]) -> list[tuple[list[str], list[str]]]:
    """Lists what a reading's changes take away and write, wherever they are; white space at the ends of lines apart."""
    changes = reading.changes(texts)
    return sorted(([text.strip() for text in texts[a:b]], [line.strip() for line in new]) for a, b, new in changes)


def _told(reading: Reading) -> list[float]:
    """Facts that the message shows and says of a reading's result, see `TOLD`."""
    if reading.shown is None or reading.original is None:
        return [0.0] * len(TOLD)
    values = told_by(reading.shown, reading.original, reading.changes(reading.original.texts))
    return [values[name] for name in TOLD]


def _forecast(readings: Sequence[Reading]) -> list[float]:
    """Tells how likely the first reading is by the forecast, see `FORECAST_FACTORS`; logarithms of more than one each.

    Not a number where there is no forecast: zeros would say that it agrees with everything.
    """
    told = [reading.whole[_FORECAST_AT:] for reading in readings]
    if not any(told[0]):
        return [math.nan] * len(FORECAST_FACTORS)
    sums = [sum(one[FORECAST.index(name)] for name in _FORECAST_SUMS) for one in told]
    ahead = sums[0] - max(sums[1:], default=sums[0] - FAR_BEHIND)
    return [math.copysign(math.log1p(abs(value)), value) for value in (*told[0], ahead)]


def _of_message(reading: Reading) -> list[float]:
    """Facts of the message alone, see `MESSAGE_FACTORS`."""
    if reading.shown is None:
        return [0.0] * len(MESSAGE_FACTORS)
    prose = reading.shown.prose
    snippets = [keys for own in reading.shown.keys if (keys := [key for key in own if key])]
    have_dots = [[DOTS.search(key) is not None for key in keys] for keys in snippets]
    num_words, num_lines, num_dots = len(prose.split()), sum(map(len, snippets)), sum(map(sum, have_dots))
    counts = (num_words, prose.count("`") // 2, len(_SENTENCE_END.findall(prose)), num_lines, num_dots)
    return [
        *(math.log1p(count) for count in counts),
        math.log1p(num_words / max(1, num_lines)),
        float(not num_dots),
        *(float(any(dots[at] for dots in have_dots)) for at in (0, -1)),
    ]


def shares_of(share: float, behind: float) -> dict[str, float]:
    """The factors that come from scores. share: of the first reading; behind: how much the second one scores less."""
    share = min(max(share, 1e-4), 1 - 1e-4)
    return {"share": share, "odds": min(5.0, math.log(share / (1 - share))), "odds_near": min(6.0, behind)}


@cache
def _calibration() -> tuple[Floats, Floats]:
    """The two columns of the table from odds to shares."""
    curve = np.array(json.loads(_CALIBRATION_FILE.read_text(encoding="utf-8"))["calibration"], np.float64)
    return curve[:, 0], curve[:, 1]


def certainty_of(readings: Sequence[Reading]) -> float:
    """The share of such readings that are right, for the first of the readings."""
    chances = network(_CHANGES_FILE, CHANGE_FACTS).chances(facts_of_first(readings))
    odds = network(_READINGS_FILE, FACTORS).odds(factors_of(readings, chances)[None])
    return float(np.interp(odds[0], *_calibration()))


def facts_of_first(readings: Sequence[Reading]) -> NDArray[np.float64]:
    """(C, len(CHANGE_FACTS)): the facts of the changes that the first of the readings makes."""
    best = readings[0]
    changes = best.changes(best.original.texts) if best.original is not None else []
    return facts_of_changes(best, changes, len(readings))


def align_lazy(
    lines: Sequence[str],
    snippets: Sequence[Snippet],
    language: str,
    message: str,
    found: Outline,
    instruction: str = "",
) -> list[Alignment]:
    """The likeliest alignments of an edit's snippets, best first; none where there is nothing to place.

    lines: of the original, without line ends; found: its outline. Their certainties add up to 1 at most.
    """
    readings = readings_of(lines, snippets, language, message, found, instruction)
    if not readings:
        return []
    return [
        Alignment(
            _segments(reading, lines, share),
            share=share,
            is_anchored=_is_anchored(reading),
            is_quoted=_is_quoted(reading),
            portion=reading.probability,
        )
        for reading, share in zip(readings, _shares(readings), strict=True)
    ]


def _shares(readings: Sequence[Reading]) -> list[float]:
    """The probability of each reading: the first's certainty, then a later one's own, were those before it out."""
    shares: list[float] = []
    left = 1.0
    for number in range(len(readings)):
        behind = probabilities(readings[number:])
        certainty = certainty_of(behind) if number < NUM_JUDGED else behind[0].probability
        if number:
            certainty *= SECOND_BEST
        shares.append(left * min(1.0, certainty))
        left *= 1 - min(1.0, certainty)
    return shares


def _segments(reading: Reading, lines: Sequence[str], certainty: float) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    at = 0
    for start, end, new in reading.changes(lines):
        if at < start:
            segments.append(Segment(SegmentKind.KEEP, at, start))
        kind = SegmentKind.REPLACE if new and start < end else SegmentKind.INSERT if new else SegmentKind.DELETE
        segments.append(Segment(kind, start, end, tuple(new), certainty, "the likeliest reading"))
        at = end
    if at < len(lines):
        segments.append(Segment(SegmentKind.KEEP, at, len(lines)))
    return tuple(segments)


def _is_anchored(reading: Reading) -> bool:
    """Whether any telling line of the snippets stands in the original."""
    return any(
        not part.grid.rows[row].is_blank and not part.grid.shown.is_trivial[row]
        for part in reading.parts
        for row in part.plan.quoted
    )


def _is_quoted(reading: Reading) -> bool:
    """Whether every line of code of the snippets stands in the original as it is, nothing passed over unsaid."""
    if any(step.target.state in "JBD" for part in reading.parts for step in part.path.steps):
        return False  # by lines something is passed over or goes, also where a reading by keys leaves it
    rows = [(part, row) for part in reading.parts for row, one in enumerate(part.grid.rows) if not one.is_blank]
    if any(row in part.plan.left_out and part.grid.rows[row].role("code") > NOTE_ODDS for part, row in rows):
        return False  # it may be a comment that is to be written
    code = [(part, row) for part, row in rows if row not in part.plan.markers and row not in part.plan.left_out]
    return bool(code) and all(
        row in part.plan.quoted and part.grid.shown.keys[row] in part.grid.original.places for part, row in code
    )


# ---- each change by itself -------------------------------------------------------------------------------------------


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


# ---- networks --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Network:
    """A network with one hidden layer of rectified units, which says how likely something is right.

    mean, deviation: (F,) of the facts that it was fitted to. inner: (F, H), inner_bias: (H,), outer: (H,).
    """

    mean: Floats
    deviation: Floats
    inner: Floats
    inner_bias: Floats
    outer: Floats
    outer_bias: float

    def odds(self, facts: Floats) -> Floats:
        """(C, F) → (C,): the logarithms of the odds that each is right. What isn't a number counts as the mean."""
        scaled = np.nan_to_num((facts - self.mean) / self.deviation).clip(-MAX_DEVIATIONS, MAX_DEVIATIONS)
        return np.asarray(np.maximum(scaled @ self.inner + self.inner_bias, 0) @ self.outer + self.outer_bias)

    def chances(self, facts: Floats) -> Floats:
        """(C, F) → (C,): how likely each is right."""
        return np.asarray(1 / (1 + np.exp(-self.odds(facts).clip(-30, 30))), np.float64)

    def save(self, path: Path, names: Sequence[str]) -> None:
        """Stores it, with the names of the facts, in single precision."""
        arrays = {name: getattr(self, name).astype(np.float32) for name in _ARRAYS}
        np.savez_compressed(path, names=np.array(names), outer_bias=np.float32(self.outer_bias), **arrays)


_ARRAYS = ("mean", "deviation", "inner", "inner_bias", "outer")


@cache
def network(path: Path, names: tuple[str, ...]) -> Network:
    """The stored network for facts with these names; those that it doesn't know count nothing."""
    with np.load(path) as stored:
        known = {name: at for at, name in enumerate(stored["names"].tolist())}
        arrays = {name: stored[name].astype(np.float64) for name in _ARRAYS}
        bias = float(stored["outer_bias"])
    at = np.array([known.get(name, -1) for name in names])
    mean, deviation = (np.where(at >= 0, arrays[name][at], 1.0) for name in ("mean", "deviation"))
    inner = np.where((at >= 0)[:, None], arrays["inner"][at], 0.0)
    return Network(mean, deviation, inner, arrays["inner_bias"], arrays["outer"], bias)


def change_factors(chances: Floats) -> list[float]:
    """`CHANGE_FACTORS` of a reading, by the chances of its changes."""
    if not len(chances):
        return [0.0, 0.0, 1.0, -LEAST_ODDS, 2.0, 0.0]
    sure = np.sort(chances.clip(SURE, 1 - SURE))
    least = float(sure[0])
    two = float(sure[:2].sum()) if len(sure) > 1 else 2 * least
    logs = np.log(sure)
    return [float(logs.sum()), float(logs.mean()), least, math.log(least / (1 - least)), two, float(len(sure))]
