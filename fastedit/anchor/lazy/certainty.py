"""The likeliest alignments of a lazy edit with its original, each with its certainty: the share of such that are right.

The score compares readings of one edit with each other; whether the best of them is right also depends on what all of
them have in common. A small network over plain facts of the likeliest reading says so; `fastedit.training.alignment`
fits it to edits with known results, edits that have to be refused among them.

A result is right only where all of its changes are, so the weakest one says most about it; features summed up over the
whole result hide it. So each change is also judged by itself: another network, fitted to changes of readings whose
results are known, reads the facts of one (`changes`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.lazy import FITTED
from fastedit.anchor.lazy.changes import CHANGE_FACTS, LEAST_ODDS, facts_of_changes
from fastedit.anchor.lazy.features import LIKE, LIKE_BY
from fastedit.anchor.lazy.forecast.network import FORECAST
from fastedit.anchor.lazy.lines import DOTS
from fastedit.anchor.lazy.reading import NAMES, WHOLE, Reading, probabilities
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.result.facts import FACTS
from fastedit.anchor.lazy.result.message import TOLD, told_by
from fastedit.anchor.lazy.rivals import FAR_BEHIND, RIVALS, rivals_of
from fastedit.anchor.lazy.search.grid import Grid
from fastedit.anchor.model import Alignment, Segment, SegmentKind
from fastedit.edits.model import Snippet
from fastedit.syntax.model import Outline

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Of a reading: the logarithm of the chance that all of its changes are right, and its mean; the least chance of one as
# it is and as odds, the two least together; how many changes there are.
CHANGE_FACTORS = ("all", "mean", "least", "least_odds", "two_least", "number")
# Of a message, whatever becomes of it: logarithms of the numbers of its words, quotes, sentences, lines shown, those of
# them with dots, and words to a line; without any dots; dots in a snippet's first line, and in its last. How much is
# asked for in how many words tells edits apart that are equally hard line by line. asked: the odds that the words ask
# for more than snippets show; asked_idly: the same where nothing is done by words alone.
MESSAGE_FACTORS = (
    "words", "quotes", "sentences", "lines", "markers", "words_a_line", "unmarked", "opens_marked", "ends_marked",
    "asked", "asked_idly",
)  # fmt: skip
# Of the likeliest reading by the forecast of what becomes of each line: how much likelier than the best other one.
FORECAST_FACTORS = (*FORECAST, "forecast_ahead")
MAX_DEVIATIONS = 5.0
SURE = 1e-3  # no chance is nearer to 0 or 1
_SENTENCE_END = re.compile(r"[.!?:](?:\s|$)")
CHANGES_FILE = FITTED / "changes.npz"
_READINGS_FILE = FITTED / "certainty.npz"
_CALIBRATION_FILE = FITTED / "certainty.json"
_FORECAST_AT = WHOLE.index(FORECAST[0])
_FORECAST_SUMS = ("forecast_gone", "forecast_new", "forecast_place", "forecast_rows")
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
    *(f"message_{name}" for name in MESSAGE_FACTORS), *(f"rival_{name}" for name in RIVALS), *FORECAST_FACTORS,
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
        *rivals_of(readings),
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
        reading.asked,
        0.0 if any(one.gone or one.changed or one.added for one in reading.proposals) else reading.asked,
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
    chances = network(CHANGES_FILE, CHANGE_FACTS).chances(facts_of_first(readings))
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
    return bool(code) and all(row in part.plan.quoted and _stands_there(part.grid, row) for part, row in code)


def _stands_there(grid: Grid, row: int) -> bool:
    """Whether the original has a row's line, in other columns at most: a blank more in a text is a change."""
    words = grid.shown.texts[row].split()
    return any(
        grid.original.texts[line].split() == words for line in grid.original.places.get(grid.shown.keys[row], ())
    )


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
