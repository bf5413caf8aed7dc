"""Settles each hunk of a patch: changes with their certainty, nothing left to do (applied already), or a problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from fastedit.anchor.model import Problem
from fastedit.anchor.patch.candidates import (
    ONLY_A_NUMBER,
    UNEVEN_INDENT_QUALITY,
    Finder,
    FoundPlaces,
    HunkPiece,
    pieces_of,
)
from fastedit.anchor.patch.changes import HunkChange, changes_at
from fastedit.anchor.patch.choose import ChosenRun, Run, RunPlace, choose
from fastedit.anchor.patch.locate import STRICT_LEVELS, Level, LineIndex, Place
from fastedit.anchor.patch.quoted import loose_key, weight_of
from fastedit.anchor.patch.scopes import Scopes
from fastedit.edits.model import Format, Op, PatchHunk, PatchLine
from fastedit.errors import Candidate, Code
from fastedit.lines import indent_of

# What the lines that a hunk leaves must tell, all together, to be known again.
MIN_TELLING = 1.0
MIN_TELLING_SIDE = 0.5
MIN_TELLING_ALONE = 2.5
MIN_CERTAINTY = 0.5
_PREFIXED = (Format.UDIFF, Format.V4A)
MAX_CANDIDATES = 8
MAX_CANDIDATE_LINES = 12
# A margin that order alone can give.
_BY_ORDER_MARGIN = 1.5
_LEVEL_CERTAINTY = {Level.EXACT: 1.0, Level.INDENT: 0.98, Level.LOOSE: 0.94}
_FUZZY_CERTAINTY = (0.5, 0.9)
_FUZZY_QUALITY = (0.7, 0.95)
# Context that is quoted worse than this is rather taken for lines that stand in two places.
_FAITHFUL = 0.9
_UNEVEN_CERTAINTY = 0.8
_BY_ORDER_CERTAINTY = 0.85
_BY_EXACT_NUMBER_CERTAINTY = 0.9
_BY_NUMBER_CERTAINTY = 0.75
_BEHIND_SCOPE_CERTAINTY = 0.8
_PARTED_CERTAINTY = 0.75
_MOVED_CERTAINTY = 0.45
_TELLING_WEIGHT = 1.5


def is_applied(index: LineIndex, hunk: PatchHunk, num_alike: int) -> bool:
    """Whether what the hunk leaves stands in the file and what it expects doesn't.

    num_alike: how many hunks of the patch say the same; their lines may stand at no more places than that, or
    they could be anyone's.
    """
    if any(line.op is Op.SKIP for line in hunk.lines) or not 0 < len(_new_places(index, hunk)) <= num_alike:
        return False
    return not hunk.old or _strictness(index, hunk.old) > _strictness(index, hunk.new)


def is_plainly_applied(index: LineIndex, hunk: PatchHunk) -> bool:
    """Whether what an applied hunk leaves stands there to the letter, and is long enough to be no chance.

    The lines that it removes may then stand inside of what it leaves, indented anew for example.
    """
    return sum(map(weight_of, hunk.new)) >= MIN_TELLING_ALONE and _strictness(index, hunk.new) == 0


def stands_beside(index: LineIndex, hunk: PatchHunk, place: Place) -> bool:
    """Whether the lines that a hunk adds on one side of its context, removing none, stand there already.

    With context on both sides the lines would keep the context from being found.
    """
    ops = [op for op, _ in groupby(line.op for line in hunk.lines)]
    if ops not in ([Op.KEEP, Op.ADD], [Op.ADD, Op.KEEP]):
        return False
    new = _new_places(index, hunk, place.start)
    if ops[0] is Op.KEEP:
        return any(found.start == place.start for found in new)
    return any(found.end == place.end for found in new)


def _new_places(index: LineIndex, hunk: PatchHunk, near: int = 0) -> list[Place]:
    """The places where the lines that the hunk leaves stand, if they say enough to be known again."""
    added = [line.text for line in hunk.lines if line.op is Op.ADD]
    if _removes_unseen(hunk):
        return []
    if sum(map(weight_of, hunk.new)) < MIN_TELLING or (added and not any(text.strip() for text in added)):
        return []
    return _places(index, hunk.new, near) if added or len(hunk.new) > 1 else []


def _removes_unseen(hunk: PatchHunk) -> bool:
    """Whether the hunk removes lines without putting others there or telling context on both sides.

    What is left then stands in a file that never had those lines, too.
    """
    runs = [(op, list(run)) for op, run in groupby(hunk.lines, key=lambda line: line.op)]
    for number, (op, _) in enumerate(runs):
        beside = [runs[n] for n in (number - 1, number + 1) if 0 <= n < len(runs)]
        if op is not Op.DELETE or any(kind is Op.ADD for kind, _ in beside):
            continue
        telling = [sum(weight_of(line.text) for line in run) >= MIN_TELLING_SIDE for _, run in beside]
        if len(telling) < 2 or not all(telling):
            return True
    return False


def _strictness(index: LineIndex, lines: Sequence[str]) -> int:
    """Counts the steps that loosen the measure until the lines are found; one more where they never are."""
    return next((n for n, level in enumerate(STRICT_LEVELS) if index.runs(lines, level, 0)), len(STRICT_LEVELS))


def _places(index: LineIndex, lines: Sequence[str], near: int = 0) -> list[Place]:
    """The places of these lines by the strictest measure that finds any."""
    return next(filter(None, (index.runs(lines, level, near) for level in STRICT_LEVELS)), [])


@dataclass(frozen=True, slots=True)
class HunkOutcome:
    """A hunk with its changes, or why it has none."""

    hunk: PatchHunk
    changes: tuple[HunkChange, ...] = ()
    places: tuple[Place, ...] = ()
    problem: Problem | None = None
    is_applied: bool = False


def locate_hunks(
    index: LineIndex, scopes: Scopes, hunks: Sequence[PatchHunk], format: Format, *, strict: bool = False
) -> list[HunkOutcome]:
    """The outcome of every hunk, in the message's order; strict: nothing but white space may differ."""
    return _Locator(index, scopes, hunks, format, strict).outcomes()


class _Locator:
    def __init__(
        self, index: LineIndex, scopes: Scopes, hunks: Sequence[PatchHunk], format: Format, strict: bool
    ) -> None:
        self.index = index
        self.hunks = [_with_dashes_kept(hunk, index) for hunk in hunks] if format in _PREFIXED else hunks
        self.format = format
        self.strict = strict
        self.num_alike = Counter(hunk.lines for hunk in self.hunks)
        self.pieces = [piece for number, hunk in enumerate(self.hunks) for piece in pieces_of(hunk, number)]
        self.finder = Finder(index, scopes, len(self.pieces))

    def outcomes(self) -> list[HunkOutcome]:
        applied = {number for number, hunk in enumerate(self.hunks) if self._is_applied(hunk)}
        inserting = {number for number in applied if not any(line.op is Op.DELETE for line in self.hunks[number].lines)}
        found = [pair for piece in self.pieces if piece.hunk_number not in inserting for pair in self._find(piece)]
        lost = {piece.hunk_number for piece, finding in found if not finding.candidates}
        plain = {number for number in applied if is_plainly_applied(self.index, self.hunks[number])}
        # Else a hunk that removes lines is only applied where these are not there under any other guise.
        applied = inserting | plain | (applied & lost)
        settled = lost | applied
        placed = self._with_shifts([(piece, finding) for piece, finding in found if piece.hunk_number not in settled])
        choices = choose(
            [Run(finding.candidates, finding.unweighed, piece.follows, piece.is_elided) for piece, finding in placed]
        )
        located: dict[int, list[tuple[HunkPiece, ChosenRun]]] = {}
        for (piece, _), choice in zip(placed, choices, strict=True):
            located.setdefault(piece.hunk_number, []).append((piece, choice))
        is_numbered = self._has_true_numbers(located)
        outcomes: list[HunkOutcome] = []
        for number, hunk in enumerate(self.hunks):
            if number in applied:
                outcomes.append(HunkOutcome(hunk, is_applied=True))
            elif number in lost:
                findings = [finding for piece, finding in found if piece.hunk_number == number]
                outcomes.append(HunkOutcome(hunk, problem=self._not_found(number, findings)))
            else:
                outcomes.append(self._placed(number, located[number], is_numbered))
        return outcomes

    def _is_applied(self, hunk: PatchHunk) -> bool:
        return is_applied(self.index, hunk, self.num_alike[hunk.lines])

    def _find(self, piece: HunkPiece) -> list[tuple[HunkPiece, FoundPlaces]]:
        """The piece, or its parts where it only stands in parts, with its candidates."""
        finding = self.finder.find(piece, strict=self.strict)
        quality = max((candidate.place.quality for candidate in finding.candidates), default=0.0)
        if self.strict or quality >= _FAITHFUL:
            return [(piece, finding)]
        parts = self.finder.parted(piece)
        return [(part, self.finder.find(part)) for part in parts] if parts else [(piece, finding)]

    def _with_shifts(self, placed: list[tuple[HunkPiece, FoundPlaces]]) -> list[tuple[HunkPiece, FoundPlaces]]:
        """The findings with line numbers read as far off as they are where the place is plain."""
        offsets = [
            finding.candidates[0].place.start - piece.hunk.line_hint
            for piece, finding in placed
            if piece.hunk.line_hint is not None and not piece.follows and len(finding.candidates) == 1
        ]
        shift = _middle(offsets) if offsets else 0
        if not shift:
            return placed
        return [
            (piece, self.finder.find(piece, strict=self.strict, shifts=(0, shift)))
            if len(finding.candidates) > 1 and piece.hunk.line_hint is not None
            else (piece, finding)
            for piece, finding in placed
        ]

    def _has_true_numbers(self, chosen: dict[int, list[tuple[HunkPiece, ChosenRun]]]) -> bool:
        """Whether the patch's line numbers proved right wherever they could be checked, and somewhere they could."""
        checked = [
            choice.candidate.hint_distance
            for located in chosen.values()
            for piece, choice in located
            if piece.expected and choice.candidate.hint_distance is not None
        ]
        return bool(checked) and not any(checked)

    def _placed(self, number: int, located: Sequence[tuple[HunkPiece, ChosenRun]], is_numbered: bool) -> HunkOutcome:
        hunk = self.hunks[number]
        rivals = [(choice.candidate, *choice.rivals) for _, choice in located if choice.rivals]
        if rivals:
            return HunkOutcome(hunk, problem=self._ambiguous(number, rivals[0]))
        if len(located) == 1 and stands_beside(self.index, hunk, located[0][1].candidate.place):
            return HunkOutcome(hunk, is_applied=True)
        changes: list[HunkChange] = []
        for piece, choice in located:
            place = choice.candidate.place
            if place.reason == ONLY_A_NUMBER and not self._is_number_safe(place, is_numbered):
                return HunkOutcome(hunk, problem=self._without_context(number, place))
            certainty, reason = _certainty(piece, choice)
            if self.format in _PREFIXED and _is_moved(piece, place, self.index):
                certainty, reason = min(certainty, _MOVED_CERTAINTY), f"{reason}, and the lines say little"
            for change in changes_at(self.index, piece.lines, place, self.format):
                why = reason if certainty <= change.certainty else change.reason
                changes.append(replace(change, certainty=min(certainty, change.certainty), reason=why))
        return HunkOutcome(hunk, tuple(changes), tuple(choice.candidate.place for _, choice in located))

    def _is_number_safe(self, place: Place, is_numbered: bool) -> bool:
        return is_numbered or place.start in (0, len(self.index.lines))

    def _name(self, number: int) -> str:
        return f"hunk {number + 1} of {len(self.hunks)} (line {self.hunks[number].source_line + 1} of the edit)"

    def _not_found(self, number: int, findings: Sequence[FoundPlaces]) -> Problem:
        misses = sorted((miss for finding in findings for miss in finding.misses), key=lambda miss: -miss.place.quality)
        near = tuple(self._shown(miss.place, miss.refusal) for miss in misses[:MAX_CANDIDATES])
        why = misses[0].refusal if misses else "nothing like them is in the file"
        return Problem(
            Code.ANCHOR_NOT_FOUND, f"{self._name(number)}: the lines that it expects are not there: {why}", near
        )

    def _ambiguous(self, number: int, rivals: Sequence[RunPlace]) -> Problem:
        shown = sorted({rival.place.start: rival.place for rival in rivals}.items())
        near = tuple(self._shown(place, "matches equally well") for _, place in shown[:MAX_CANDIDATES])
        return Problem(Code.ANCHOR_AMBIGUOUS, f"{self._name(number)}: {len(shown)} places match equally well", near)

    def _without_context(self, number: int, place: Place) -> Problem:
        near = (self._shown(place, "the line that the number names"),)
        return Problem(
            Code.ANCHOR_NOT_FOUND,
            f"{self._name(number)}: it has no context, and its line number can't be checked",
            near,
        )

    def _shown(self, place: Place, reason: str) -> Candidate:
        end = min(place.end, place.start + MAX_CANDIDATE_LINES)
        return Candidate(place.start, place.end, reason, "\n".join(self.index.lines[place.start : end]))


def _with_dashes_kept(hunk: PatchHunk, index: LineIndex) -> PatchHunk:
    """Turns deletions back into context that lacks its prefix and starts with a dash (a YAML item, an SQL comment),
    where the file has such a line with the dash, and none without."""
    lines = tuple(
        PatchLine(Op.KEEP, "-" + line.text)
        if line.op is Op.DELETE and loose_key(line.text) not in index.rows and loose_key("-" + line.text) in index.rows
        else line
        for line in hunk.lines
    )
    return replace(hunk, lines=lines) if lines != hunk.lines else hunk


def _certainty(piece: HunkPiece, choice: ChosenRun) -> tuple[float, str]:
    """(certainty, reason): how certain the place is, and what that rests on."""
    place = choice.candidate.place
    reasons = [place.reason] if place.reason else []
    certainty = _level_certainty(place)
    if not piece.expected and piece.hunk.scopes:
        certainty = min(certainty, _BEHIND_SCOPE_CERTAINTY)
    if choice.by_hint:
        is_exact = choice.candidate.hint_distance == 0
        certainty = min(certainty, _BY_EXACT_NUMBER_CERTAINTY if is_exact else _BY_NUMBER_CERTAINTY)
        reasons.append("told from an equal place by its line number")
    elif piece.follows and not piece.is_elided:
        certainty = min(certainty, _PARTED_CERTAINTY)
        reasons.append("the patch passes over lines without saying so")
    elif choice.margin < _BY_ORDER_MARGIN:
        certainty = min(certainty, _BY_ORDER_CERTAINTY)
        reasons.append("told from a like place by its order or scope")
    return certainty, ", ".join(reasons)


def _is_moved(piece: HunkPiece, place: Place, index: LineIndex) -> bool:
    """Whether removed lines of a hunk that says little stand at another depth than it shows them: likely others.

    Blanks for tabs are no other depth.
    """
    expected = piece.expected
    if place.level is Level.EXACT or sum(weight_of(line.text) for line in expected) >= _TELLING_WEIGHT:
        return False
    for line, span in zip(expected, place.spans, strict=True):
        if span is None or not line.text.strip() or line.op is Op.KEEP:
            continue
        mine, theirs = indent_of(line.text), indent_of(index.lines[span[0]])
        if all(mine.expandtabs(size) != theirs.expandtabs(size) for size in (2, 4, 8)):
            return True
    return False


def _level_certainty(place: Place) -> float:
    if place.level is Level.FUZZY:
        low, high = _FUZZY_QUALITY
        share = min(1.0, max(0.0, (place.quality - low) / (high - low)))
        return _FUZZY_CERTAINTY[0] + share * (_FUZZY_CERTAINTY[1] - _FUZZY_CERTAINTY[0])
    if place.level is Level.INDENT and place.quality == UNEVEN_INDENT_QUALITY:
        return _UNEVEN_CERTAINTY
    return _LEVEL_CERTAINTY[place.level]


def _middle(numbers: Sequence[int]) -> int:
    """The median, towards 0 where it lies between two numbers."""
    ordered = sorted(numbers)
    return int((ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2)
