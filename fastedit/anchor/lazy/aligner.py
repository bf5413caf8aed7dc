"""The likeliest alignments of a lazy edit with its original, each with its certainty: the share of such that are right.

The score compares readings of one edit with each other; whether the best of them is right also depends on what all of
them have in common. A logistic model over a few plain facts says so; `fastedit.training.alignment` fits it to edits
with known results, edits that have to be refused among them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fastedit.anchor.alignment import Alignment, Segment, SegmentKind
from fastedit.anchor.lazy.changes import CHANGE_FACTORS, change_factors, change_network, facts_of_changes
from fastedit.anchor.lazy.facts import FACTS
from fastedit.anchor.lazy.features import LIKE, LIKE_BY
from fastedit.anchor.lazy.reading import NAMES, WHOLE, Reading, probabilities
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.shown import TOLD, told_by
from fastedit.edits.model import Snippet
from fastedit.syntax.model import Outline

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FILE = Path(__file__).with_name("certainty.json")
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
    "beside_comment", "beside_blank", "beside_edge", "repeated_like", *WHOLE,
)  # fmt: skip
FACTORS: tuple[str, ...] = (
    "bias", "share", "odds", "odds_near", "num_rows", "num_parts", "num_same", "share_same", "share_like", "unlike",
    "no_anchor", "rivals", "score_row", "twin", "twin_share", "twin_new", "twin_new_share",
    *(f"count_{name}" for name in _COUNTED), *(f"fact_{name}" for name in FACTS), *(f"told_{name}" for name in TOLD),
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
        1.0,
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


def shares_of(share: float, behind: float) -> dict[str, float]:
    """The factors that come from scores. share: of the first reading; behind: how much the second one scores less."""
    share = min(max(share, 1e-4), 1 - 1e-4)
    return {"share": share, "odds": min(5.0, math.log(share / (1 - share))), "odds_near": min(6.0, behind)}


@cache
def _fitted() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Weights, and the two columns of the table from the model's odds to shares."""
    stored = json.loads(_FILE.read_text(encoding="utf-8"))
    known = stored["weights"]
    curve = np.array(stored["calibration"], np.float64)
    return np.array([known.get(name, 0.0) for name in FACTORS]), curve[:, 0], curve[:, 1]


def certainty_of(readings: Sequence[Reading]) -> float:
    """The share of such readings that are right, for the first of the readings."""
    weights, odds, shares = _fitted()
    chances = change_network().chances(facts_of_first(readings))
    return float(np.interp(float(factors_of(readings, chances) @ weights), odds, shares))


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
        Alignment(_segments(reading, lines, share), (), (), share, _is_anchored(reading), _is_quoted(reading))
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
