"""The merged draft: an edit's lines where the alignment says they belong, and what speaks against that."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from math import floor

from fastedit.anchor import align, align_readings
from fastedit.anchor.alignment import leaves_out
from fastedit.anchor.hints import Hints, gone_in, hints_of, name_of, prose_of, says_gone, sentences_of
from fastedit.anchor.lazy.lines import WORD, Lines
from fastedit.anchor.model import Alignment, Problem, Segment, SegmentKind
from fastedit.applied import render
from fastedit.edits.model import Edit, Format
from fastedit.edits.wording import comment_text
from fastedit.errors import Candidate, Code, EditRefused, EditUnreadable, PlaceUnknown, ResultRefused, Warning
from fastedit.guard import Original, inspect, refuse_or_warn
from fastedit.lines import body, key_of, split_lines
from fastedit.patterns import pattern

# A lazy edit's reading is refused below this, unless asked otherwise. It trades answers for errors: of the 266 messages
# in ApplyBench's validation split 122 come out exact by it and 3 wrong, 112 and 2 at 0.9 (python -m evals.applybench
# score, "at certainty").
DEFAULT_CERTAINTY = 0.85
TINY_SHARE = 1e-6
MIN_UNCHANGED_SHARE = 0.001  # of a reading that takes the edit for one that was applied before
TRUSTED_CERTAINTY = 0.9  # of a merged draft: above it a target that disagrees is more likely to be the one in error
MIN_PATCH_CERTAINTY = 0.5
LINES_BEFORE, LINES_BEHIND = 1, 1  # that have to be the same for two places to look alike
MAX_CANDIDATES = 3
MAX_CLOSE = 5  # readings that a target may choose between
MIN_CLOSE_PORTION = 0.01  # of one of them
# Words that announce a change of a file without saying what it is; names of versions.
_ANNOUNCING = frozenset(
    "a all an and apply are as at be below change changed changes code edit edits file files follow following follows "
    "for full from here how i in into is it its just like ll looks make makes modify new now of on please s should "
    "so that the there these this those to update updated updates use version we will with you your".split()
)
_QUOTED = pattern(r"`([^`\n]+)`")
_WORD = pattern(r"[^\W\d_]+")
_PATH = pattern(r"[\w./-]*\w\.\w+")
_VERSION = pattern(r"\d[\w.]*\w|\d")
MIN_COMMENT_ODDS = -2.3  # a comment that is likelier than this (1 in 10) to belong to the file isn't surely a note
MIN_PROMISED = 2  # words that say what a change is
MAX_SHOWN = 60  # characters of a candidate's new line


@dataclass(frozen=True, slots=True)
class Choice:
    """A rule for doubt. certainty: the least that is applied; reading: the number of the one to take, from 1."""

    certainty: float = DEFAULT_CERTAINTY
    reading: int | None = None


DEFAULT_CHOICE = Choice()


@dataclass(frozen=True, slots=True)
class Merged:
    """An edit's merged draft.

    text: the alignment's rendering. refusal: why it must not be applied without a target's word, or None.
    asked_certainty: what its certainty was measured against. readings: of a lazy edit that isn't certain, the likeliest
    ones, whatever the guard has against them; number: of the one that this is, from 1.
    """

    text: str
    alignment: Alignment
    warnings: tuple[Warning, ...] = ()
    refusal: EditRefused | None = None
    asked_certainty: float = DEFAULT_CERTAINTY
    readings: tuple[Alignment, ...] = ()
    number: int = 1

    @property
    def close(self) -> tuple[Alignment, ...]:
        """The readings that a target may choose between, this one among them."""
        own = self.number - 1
        return tuple(one for at, one in enumerate(self.readings) if at == own or one.portion >= MIN_CLOSE_PORTION)

    @property
    def certainty(self) -> float:
        """The share of such drafts that are right; 0 for one that must not be applied as it is."""
        return 0.0 if self.refusal else self.alignment.certainty


class Strategy(StrEnum):
    STRUCTURAL = "structural"  # the merged draft; no target's word made it nearly certain
    VERIFIED = "verified"  # the merged draft; the target wrote the same or chose it, and that makes it nearly certain
    MODEL = "model"  # the target's own text


@dataclass(frozen=True, slots=True)
class Decision:
    """The text that counts. alignment: of that text on the original. certainty: the share of such drafts that are
    right, by all that is known; for `model` of the draft that the target had another text for.
    """

    text: str
    strategy: Strategy
    alignment: Alignment
    warnings: tuple[Warning, ...] = ()
    certainty: float = 1.0


def structural(merged: Merged) -> Decision:
    """The merged draft without a target's word. Raises what was found against it."""
    if merged.refusal is not None:
        raise merged.refusal
    return standing(merged)


def standing(merged: Merged) -> Decision:
    """The merged draft, whatever was found against it."""
    return Decision(merged.text, Strategy.STRUCTURAL, merged.alignment, merged.warnings, merged.alignment.certainty)


def merge(
    original: Original, edit: Edit, message: str, instruction: str | None, choice: Choice | None = None
) -> Merged:
    """The merged draft of an edit, right or not. EditRefused for an edit that no draft can be made of."""
    choice = choice or DEFAULT_CHOICE
    message = message_about(original, edit, message)
    words = f"{message}\n{instruction or ''}"
    if edit.format is Format.WHOLE and leaves_out(original.text, edit.snippets):
        edit = replace(edit, format=Format.LAZY)
    if edit.format is Format.LAZY:
        return _merge_lazy(original, edit, message, instruction or "", words, choice)
    alignment = align(original.text, edit, original.outline)
    text = render(original.text, alignment)
    notes = tuple(Warning("NOTE", note) for note in alignment.notes)
    try:
        _refuse_uncertain(original.text, alignment)
        findings = inspect(original, text, alignment, (edit,), words)
        return Merged(text, alignment, (*refuse_or_warn(findings), *notes))
    except EditRefused as refusal:
        return Merged(text, alignment, notes, refusal)


def message_about(original: Original, edit: Edit, message: str) -> str:
    """The part of a message that is about an edit. Words about all files count where they say that something goes which
    the file has."""
    gone = [one for one, _ in sentences_of(edit.shared) if says_gone(one) and _names_any_of(one, original.text)]
    return "\n\n".join((edit.part_of(message), *gone))


def _names_any_of(sentence: str, text: str) -> bool:
    return any(quoted.strip().removesuffix("()") in text for quoted in _QUOTED.findall(sentence))


# ---- lazy edits ------------------------------------------------------------------------------------------------------


def _merge_lazy(original: Original, edit: Edit, message: str, instruction: str, words: str, choice: Choice) -> Merged:
    """The likeliest reading that the guard lets pass; its refusal names the readings that were close."""
    readings = align_readings(original.text, edit, original.language, message, original.outline, instruction)
    if not readings:
        raise EditUnreadable(Code.EDIT_EMPTY, "the edit shows no code: there is nothing to place")
    if choice.reading is not None:
        return _chosen(original, edit, readings, words, choice.reading)
    writes = readings[0].share >= choice.certainty and _writes(original, readings[0])
    for alignment in readings if not writes else ():
        is_likely = min(alignment.share, alignment.portion) >= MIN_UNCHANGED_SHARE
        if is_likely and not alignment.changes and alignment.is_quoted and not _not_done(original, edit, words):
            return Merged(original.text, alignment)  # applied before, as far as can be seen
    turned_down: ResultRefused | None = None
    lost = 0.0
    for number, alignment in enumerate(readings, 1):
        text = render(original.text, alignment)
        try:
            warnings = refuse_or_warn(inspect(original, text, alignment, (edit,), words))
        except ResultRefused as refusal:
            turned_down = turned_down or refusal
            lost += alignment.share
            continue
        if lost:  # the likeliest ones are out: what they had is the others' now
            alignment = _with_share(alignment, alignment.share / max(TINY_SHARE, 1 - lost))
        is_open = number <= MAX_CLOSE and alignment.certainty < max(TRUSTED_CERTAINTY, choice.certainty)
        shown = tuple(readings[:MAX_CLOSE]) if is_open else ()
        missing = _not_done(original, edit, words) if text == original.text else ""
        problem = _problem(original, text, alignment, missing, choice.certainty)
        if problem is None:
            return Merged(text, alignment, warnings, None, choice.certainty, shown, number)
        if lost and turned_down is not None:
            break
        candidates = _reading_candidates(original.text, list(enumerate(readings, 1)))
        unsure = PlaceUnknown(problem.code, problem.message, candidates, alignment.certainty)
        return Merged(text, alignment, warnings, unsure, choice.certainty, shown, number)
    first = readings[0]
    text = render(original.text, first)
    assert turned_down is not None
    candidates = _reading_candidates(original.text, list(enumerate(readings, 1)))
    return Merged(text, first, (), ResultRefused(turned_down.code, turned_down.message, candidates))


def close_drafts(original: Original, edit: Edit, merged: Merged, words: str) -> list[Merged]:
    """The drafts of the close readings that the guard lets pass, in the search's order; `merged` is one of them.

    Each has its probability: `merged` the one that it comes with, which is calibrated; the others theirs beside it by
    the search's scores, but all together no more than is left. What is left then is that none of them is right.
    """
    drafts: list[Merged] = []
    for at, alignment in enumerate(merged.readings, 1):
        if at == merged.number:
            drafts.append(merged)
        elif alignment.portion >= MIN_CLOSE_PORTION:
            text = render(original.text, alignment)
            with suppress(ResultRefused):
                warnings = refuse_or_warn(inspect(original, text, alignment, (edit,), words))
                drafts.append(replace(merged, text=text, alignment=alignment, warnings=warnings, number=at))
    own = merged.alignment
    of_others = sum(draft.alignment.portion for draft in drafts) - own.portion
    part = min(own.share / max(TINY_SHARE, own.portion), (1 - own.share) / max(TINY_SHARE, of_others))
    others = (replace(one, alignment=_with_share(one.alignment, part * one.alignment.portion)) for one in drafts)
    return [draft if draft is merged else other for draft, other in zip(drafts, others, strict=True)]


def chosen(original: Original, edit: Edit, drafts: Sequence[Merged], shares: Sequence[float], words: str) -> Merged:
    """The likeliest of close drafts, now that these are their probabilities; refused where that isn't certain enough,
    with the readings in their new order."""
    best = max(range(len(drafts)), key=shares.__getitem__)
    draft, alignment = drafts[best], _with_share(drafts[best].alignment, shares[best])
    missing = _not_done(original, edit, words) if draft.text == original.text else ""
    problem = _problem(original, draft.text, alignment, missing, draft.asked_certainty)
    if problem is None:
        return replace(draft, alignment=alignment, refusal=None)
    known = {one.number: share for one, share in zip(drafts, shares, strict=True)}
    # The others are no likelier than any of these: the guard has turned them down, or the search finds them far behind.
    told = {at: known.get(at, min(one.share, *shares)) for at, one in enumerate(draft.readings, 1)}
    order = sorted(told, key=lambda at: (at not in known, -told[at]))
    candidates = _reading_candidates(
        original.text, [(at, _with_share(draft.readings[at - 1], told[at])) for at in order]
    )
    refusal = PlaceUnknown(problem.code, problem.message, candidates, alignment.certainty)
    return replace(draft, alignment=alignment, refusal=refusal)


def _writes(original: Original, alignment: Alignment) -> bool:
    """Whether a reading writes what the file has nowhere, but for white space: then the edit wasn't applied before."""
    known = key_of(original.text)
    return any(key_of("".join(segment.lines)) not in known for segment in alignment.changes)


def _chosen(original: Original, edit: Edit, readings: Sequence[Alignment], words: str, number: int) -> Merged:
    """The reading that somebody chose, whatever its certainty; what the guard has against it are warnings."""
    if not 1 <= number <= len(readings):
        message = f"there is no reading {number} of the edit: it has {len(readings)}"
        raise EditUnreadable(Code.EDIT_UNPARSABLE, message)
    alignment = _with_share(readings[number - 1], 1.0)
    text = render(original.text, alignment)
    findings = inspect(original, text, alignment, (edit,), words)
    return Merged(text, alignment, tuple(finding.as_warning() for finding in findings))


def _with_share(alignment: Alignment, share: float) -> Alignment:
    segments = tuple(
        segment if segment.kind is SegmentKind.KEEP else replace(segment, certainty=share)
        for segment in alignment.segments
    )
    return replace(alignment, segments=segments, share=share)


def _problem(original: Original, text: str, alignment: Alignment, missing: str, certainty: float) -> Problem | None:
    """The problem that keeps a reading from being applied; None where there is none. missing: see `_not_done`."""
    if text == original.text:
        if missing:
            return Problem(Code.ANCHOR_NOT_FOUND, f"the code shows no change, and {missing}")
        if alignment.is_quoted:
            return None
    if alignment.certainty >= certainty:
        return None
    if not alignment.is_anchored:
        return Problem(Code.ANCHOR_NOT_FOUND, "nothing of the snippet stands in the file")
    return Problem(
        Code.ANCHOR_AMBIGUOUS,
        f"not certain where the edit belongs or what it changes: the likeliest reading is right in "
        f"{floor(100 * alignment.certainty)}% of such cases, {certainty:.0%} are asked for",
    )


def _not_done(original: Original, edit: Edit, words: str) -> str:
    """Half a sentence about what the words of a message promise and the file lacks; "" where it has it all.

    An edit that was applied before shows no change either. The file then lacks what the words call gone, and most of
    the names in the words stand in the code that is shown: where words promise a change, at least one has to. Code
    without any words promises nothing.
    """
    shown = {word for snippet in edit.snippets for line in snippet.lines for word in WORD.findall(line)}
    hints = hints_of(words)
    known = set(WORD.findall(original.text))
    still = _still_there(original, hints, shown & known) or _still_declared(original, edit)
    if still:
        return f"`{still}`, which the words say is gone, is still in the file"
    unwritten = _unwritten(original, edit)
    if unwritten:
        return f"the comment `{unwritten}`, which it shows, isn't in the file"
    gone = hints.removed.union(*(WORD.findall(quoted) for quoted in hints.gone))
    named = {name for name in hints.mentioned - gone if len(name) > 1}
    missing = sorted(named - known)
    if len(missing) > len(named & shown & known) // 2:
        return f"`{missing[0]}`, which the words name, isn't in the file"
    prose = _words_beside(edit, words)
    promised = {word.lower() for word in _WORD.findall(_PATH.sub(" ", prose))} - _ANNOUNCING
    told = named | hints.removed | set(_VERSION.findall(prose))
    if len(promised) >= MIN_PROMISED and not told & (shown & known | hints.removed):
        return "nothing that the words name tells that it was made before"
    return ""


def _unwritten(original: Original, edit: Edit) -> str:
    """The first comment of the snippets that the file lacks and that may belong to it; or ""."""
    from fastedit.anchor.lazy.words.comments import Comments  # which imports numpy

    lines = Lines([body(line) for line in split_lines(original.text)])
    for snippet in edit.snippets:
        comments = Comments(snippet.lines, lines, original.language)
        for number in comments.notes:
            note = comment_text(snippet.lines[number])
            if note and comments.odds(note, number)["code"] > MIN_COMMENT_ODDS:
                return note[:MAX_SHOWN]
    return ""


def _words_beside(edit: Edit, words: str) -> str:
    """The words outside of fences, without the lines that a snippet shows."""
    code = {line.strip() for snippet in edit.snippets for line in snippet.lines}
    lines = (line.strip() for line in prose_of(words).split("\n"))
    return "\n".join(line for line in lines if line and line not in code)


def _still_declared(original: Original, edit: Edit) -> str:
    """The first name that a comment in the snippets says is gone and that the file declares; or ""."""
    declared = {one.name.rpartition(".")[2] for one in original.outline.declarations}
    for line in (line for snippet in edit.snippets for line in snippet.lines):
        note = comment_text(line)
        for quoted in gone_in(note, declared.__contains__) if note and says_gone(note) else ():
            if name_of(quoted) in declared:
                return name_of(quoted)
    return ""


def _still_there(original: Original, hints: Hints, shown: set[str]) -> str:
    """The first name that the words say is gone and that the shown code or a declaration in the file has; or ""."""
    for name in sorted(hints.removed):
        if name in shown:
            return name
    lines = [body(line) for line in split_lines(original.text)]
    from fastedit.anchor.lazy.proposals.finder import proposals_for  # which imports numpy

    for one in proposals_for(lines, range(len(lines)), lines, original.outline, hints):
        if one.is_certain:
            told = [lines[line] for line in (*one.gone, *(line for line, _ in one.changed)) if lines[line].strip()]
            words = set(WORD.findall("\n".join(told)))
            return next(iter(sorted(hints.removed & words)), told[0].strip()[:MAX_SHOWN])
    return ""


def _reading_candidates(original: str, readings: Sequence[tuple[int, Alignment]]) -> tuple[Candidate, ...]:
    """A candidate for each of the likeliest readings: where it first differs from the others, and what it does.

    readings: with the numbers to choose them by, likeliest first.
    """
    lines = split_lines(original)
    shown = readings[:MAX_CANDIDATES]
    everywhere = [{(s.start, s.end, s.lines) for s in reading.changes} for _, reading in shown]
    common = set.intersection(*everywhere) if len(everywhere) > 1 else set()
    result = []
    share = 1.0
    for number, reading in shown:
        # A later reading's certainty is what it would have without the ones before it, and yet none is likelier.
        share = min(share, reading.share)
        told = f"reading {number} ({floor(100 * share)}%)"
        own = [s for s in reading.changes if (s.start, s.end, s.lines) not in common] or list(reading.changes)
        if not own:
            result.append(Candidate(0, 0, f"{told}: changes nothing", "", "", number))
            continue
        first = own[0]
        more = f", and {len(own) - 1} more change{'s' * (len(own) > 2)}" if len(own) > 1 else ""
        reason = f"{told}: {_told(first)}{more}"
        shown_row = first.start if first.end > first.start else first.start - 1  # of an insertion the line before it
        text = body(lines[shown_row]) if 0 <= shown_row < len(lines) else ""
        new = next((line.strip()[:MAX_SHOWN] for line in first.lines if line.strip()), "")
        result.append(Candidate(first.start, first.end, reason, text, "", number, new))
    return tuple(result)


def _told(segment: Segment) -> str:
    """Describes a segment's change in a few words, without any of the code."""
    num_old, num_new = segment.end - segment.start, len(segment.lines)
    old = f"line {segment.end}" if num_old == 1 else f"lines {segment.start + 1}-{segment.end}"
    new = "1 line" if num_new == 1 else f"{num_new} lines"
    if segment.kind is SegmentKind.INSERT:
        return f"adds {new} {f'after line {segment.start}' if segment.start else 'at the top'}"
    if segment.kind is SegmentKind.DELETE:
        return f"deletes {old}"
    return f"replaces {old}" if num_new == num_old else f"replaces {old} with {new}"


# ---- formats with their own context ----------------------------------------------------------------------------------


def _refuse_uncertain(original: str, alignment: Alignment) -> None:
    for problem in alignment.problems:
        raise PlaceUnknown(problem.code, problem.message, problem.candidates)
    for segment in alignment.changes:
        if segment.certainty < MIN_PATCH_CERTAINTY:
            raise PlaceUnknown(
                Code.ANCHOR_AMBIGUOUS,
                f"lines {segment.start + 1}-{segment.end}: not certain what the edit means here ({segment.reason})",
                alike_places(original, segment),
            )


def alike_places(original: str, segment: Segment) -> tuple[Candidate, ...]:
    """Candidates for the segment's place and for those that look like it: the same lines there, before and behind,
    blank lines apart."""
    lines = split_lines(original)
    rows = [index for index, line in enumerate(lines) if line.strip()]
    keys = [key_of(lines[row]) for row in rows]
    first, last = bisect_left(rows, segment.start), bisect_left(rows, segment.end)
    num_before = min(first, LINES_BEFORE)
    context = keys[first - num_before : last + LINES_BEHIND]
    if not context:
        return ()
    starts = [at for at in range(len(keys) - len(context) + 1) if keys[at : at + len(context)] == context]
    starts.sort(key=lambda at: (at + num_before != first, at))
    ends = [*rows, len(lines)]
    reasons = ["the likeliest place", *["looks like the likeliest place, and so do the lines around"] * len(starts)]
    length = segment.end - segment.start
    # The first line of what is replaced, or the one that an insertion follows.
    shown = num_before if last > first else 0
    return tuple(
        Candidate(ends[at + num_before], ends[at + num_before] + length, reason, body(lines[rows[at + shown]]))
        for at, reason in zip(starts[:MAX_CANDIDATES], reasons, strict=False)
    )
