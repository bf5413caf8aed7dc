"""Decides whose text counts: the merged draft's or the target's, if that can be trusted.

A target may copy wrongly, forget a line or go on where it should stop. What it wrote is taken in place of a merged
draft only where every line of it is accounted for, by the original or by the edit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from rapidfuzz import fuzz

from fastedit.anchor.alignment import align_lines
from fastedit.anchor.model import Alignment, SegmentKind
from fastedit.edits.model import Edit, Op
from fastedit.edits.wording import LineKind, classify_lines
from fastedit.errors import Code, EditRefused, ResultRefused, Warning
from fastedit.guard import Finding, Original, inspect, refuse_or_warn
from fastedit.lines import body, key_of, split_lines
from fastedit.merged import TRUSTED_CERTAINTY, Decision, Merged, Strategy, standing, structural
from fastedit.targets.templates import Word

MIN_LIKENESS = 50.0  # percent, of a line and the one that stands for it now

# So many passes a target may take over a window in `auto`: one that agrees needs one or two. Where the draft is
# certain, or the target only verifies, its other text wouldn't count; elsewhere one with this many slips won't be
# faithful.
CERTAIN_PASSES, UNCERTAIN_PASSES, VERIFIERS_PASSES = 6, 16, 3
VERIFIERS_S = 10.0  # it needs a fraction of a second; on a machine with too much to do its word isn't worth the wait
# The least certainty, with the word of a target that wrote the same, at which a result is called verified: so that at
# most one in a hundred of those is wrong. A word that wasn't measured is worth nothing.
VERIFIED_CERTAINTY = 0.99


def weigh(original: Original, merged: Merged, answer: str, edit: Edit, message: str, word: Word) -> Decision:
    """Decides between the merged draft and the target's answer, for `auto`.

    A text on which both agree counts, even where the alignment alone was too uncertain to be applied. Where they
    differ, a faithful answer counts, unless the draft is certain; else the draft stands, and a warning says so. Raises
    the draft's refusal where neither can be applied. word: what the target's agreement is worth.
    """
    if answer == merged.text:
        return _agreed(original, merged, edit, message, word)
    try:
        found = _faithful(original, merged, answer, edit, message)
    except ResultRefused as refused:
        return _overruled(merged, refused.message)
    return _overruled(merged, "the draft is certain") if merged.certainty >= TRUSTED_CERTAINTY else found


def confirm(merged: Merged, *, is_agreed: bool, word: Word) -> Decision:
    """The merged draft with the word of a target that only verifies, for `auto`.

    Its agreement may make a draft certain enough to be applied. Raises the draft's refusal where it doesn't.
    """
    certainty = word.certainty(merged.alignment.certainty, is_agreed=is_agreed)
    if not is_agreed:
        return replace(_overruled(merged, "it only verifies"), certainty=certainty)
    if merged.refusal is not None and not _may_be_lifted(merged, word):
        raise merged.refusal
    return _confirmed(merged, certainty)


def is_worth_asking(original: str, merged: Merged, word: Word, *, only_verifies: bool) -> bool:
    """Whether a target's word could change anything in `auto`: not where the edit is in the file already.

    One that judges readings is asked wherever several are close. Of others one that only verifies isn't asked where
    even its agreement would leave the draft refused; nor is any about places alike: whichever it takes, that it takes
    the right one has to have been measured.
    """
    refusal = merged.refusal
    if refusal is None:
        return merged.text != original
    if is_to_be_judged(merged, word):
        return True
    if only_verifies or is_torn(merged):
        return _may_be_lifted(merged, word)
    return True


def is_to_be_judged(merged: Merged, word: Word) -> bool:
    """Whether a target is to choose between readings: it was measured to know something about them, several are close,
    and the likeliest isn't certain."""
    if word.readings <= 0 or len(merged.close) < 2 or not (merged.refusal is None or is_torn(merged)):
        return False
    return merged.alignment.certainty < max(TRUSTED_CERTAINTY, merged.asked_certainty)


def is_torn(merged: Merged) -> bool:
    """Whether a draft is refused since other readings are close to it."""
    refusal = merged.refusal
    return refusal is not None and refusal.code is Code.ANCHOR_AMBIGUOUS and len(refusal.candidates) > 1


def settled(judged: Merged) -> Decision:
    """The reading that a target chose among close ones, for `auto`. Raises its refusal where that is uncertain."""
    if judged.refusal is not None:
        raise judged.refusal
    return _confirmed(judged, judged.certainty)


def _may_be_lifted(merged: Merged, word: Word) -> bool:
    """Whether a target's agreement would make a draft certain enough that was refused for being uncertain."""
    refusal = merged.refusal
    if refusal is None or refusal.code is not Code.ANCHOR_AMBIGUOUS or refusal.certainty is None:
        return False
    return word.certainty(merged.alignment.certainty, is_agreed=True) >= merged.asked_certainty


def passes_worth(merged: Merged, *, only_verifies: bool = False) -> int:
    """The number of passes over each window that a target's word on this draft is worth in `auto`."""
    if only_verifies:
        return VERIFIERS_PASSES
    return CERTAIN_PASSES if is_certain(merged) else UNCERTAIN_PASSES


def given_up(merged: Merged) -> Decision:
    """The merged draft where the target went on writing something else for too long; raises where it can't stand."""
    return _overruled(merged, "it hadn't finished in time")


def unanswered(merged: Merged, refused: EditRefused, *, only_verifies: bool = False) -> Decision:
    """The merged draft where the target was to be asked, for `auto`, and had no answer; raises where it can't stand."""
    if merged.refusal is not None:
        # Asked again, a target that was only busy may know the place.
        is_busy = refused.code in (Code.OVERLOADED, Code.TIMEOUT) and not only_verifies
        raise refused if is_busy else merged.refusal
    verdict = structural(merged)
    warning = Warning(refused.code.value, f"not verified: {refused.message}")
    return replace(verdict, warnings=(*verdict.warnings, warning))


def taken(original: Original, merged: Merged, answer: str, edit: Edit, message: str) -> Decision:
    """The target's text as the result, for `model`. ResultRefused where the guard finds it unfit to be applied."""
    if answer == merged.text and merged.refusal is None:  # which the guard has seen
        return replace(standing(merged), strategy=Strategy.MODEL)
    alignment = _alignment_of(original.text, answer)
    doubts = unaccounted(original.text, answer, alignment, merged, edit)
    # A target may word a line in its own way, and that is told; what it loses, of the edit or of the file, isn't taken.
    doubts = [replace(doubt, is_fatal=doubt.code is Code.TRUNCATION_DETECTED) for doubt in doubts]
    warnings = refuse_or_warn([*inspect(original, answer, alignment, (edit,), message), *doubts])
    return Decision(answer, Strategy.MODEL, alignment, warnings, merged.alignment.certainty)


def unaccounted(original: str, text: str, alignment: Alignment, merged: Merged, edit: Edit) -> list[Finding]:
    """Finds what neither original nor edit accounts for in a result: lines that came, that went, that are missing.

    White space apart: a line may be indented otherwise than the edit has it. alignment: of `text` on the original.
    """
    asked = [key_of(line) for line in _code_of(edit, original) if line.strip()]
    before = Counter(key_of(line) for line in split_lines(original))
    after = Counter(key_of(line) for line in split_lines(text))
    # A line may stand in the result as often as in the original, and once more for each time the edit has it.
    allowed = before + Counter(asked)
    foreign = [line for line, count in after.items() if line and count > allowed[line]]
    missing = [line for line in dict.fromkeys(asked) if line not in after]
    num_lost = _num_lost(original, alignment, merged.alignment)
    findings: list[Finding] = []
    if foreign:
        message = f"{len(foreign)} lines come from neither the original nor the edit"
        findings.append(Finding(Code.BLAST_RADIUS_EXCEEDED, message, _line_of(text, foreign[0]), True))
    if missing:
        findings.append(Finding(Code.TRUNCATION_DETECTED, f"{len(missing)} lines of the edit are missing", None, True))
    if num_lost:
        findings.append(Finding(Code.TRUNCATION_DETECTED, f"{num_lost} lines went that nothing replaces", None, True))
    return findings


def _num_lost(original: str, alignment: Alignment, expected: Alignment) -> int:
    """Counts the lines that the merged draft keeps and the result lacks, with nothing like them in their place."""
    lines = split_lines(original)
    kept = {line for part in expected.segments if part.kind is SegmentKind.KEEP for line in range(part.start, part.end)}
    gone = (part for part in alignment.segments if part.kind in (SegmentKind.DELETE, SegmentKind.REPLACE))
    return sum(
        bool(lines[line].strip()) and not any(fuzz.ratio(lines[line], new) >= MIN_LIKENESS for new in part.lines)
        for part in gone
        for line in range(part.start, part.end)
        if line in kept
    )


def is_certain(merged: Merged) -> bool:
    """Whether the draft stands whatever a target says."""
    return merged.refusal is None and merged.certainty >= TRUSTED_CERTAINTY


def _confirmed(merged: Merged, certainty: float) -> Decision:
    """The draft that a target wrote, too, or chose. certainty: with the target's word."""
    strategy = Strategy.VERIFIED if certainty >= VERIFIED_CERTAINTY else Strategy.STRUCTURAL
    return replace(standing(merged), strategy=strategy, certainty=certainty)


def _agreed(original: Original, merged: Merged, edit: Edit, message: str, word: Word) -> Decision:
    """The draft that the target wrote, too; raises its refusal where not everything in it is accounted for."""
    confirmed = _confirmed(merged, word.certainty(merged.alignment.certainty, is_agreed=True))
    if merged.refusal is None:
        return confirmed
    try:
        found = _faithful(original, merged, merged.text, edit, message)
    except ResultRefused as refused:
        raise merged.refusal from refused
    if confirmed.strategy is Strategy.STRUCTURAL:  # it is applied since the target wrote it
        confirmed = replace(confirmed, strategy=Strategy.MODEL)
    return replace(confirmed, warnings=(*merged.warnings, *found.warnings))


def _faithful(original: Original, merged: Merged, text: str, edit: Edit, message: str) -> Decision:
    """The text as the target's; ResultRefused unless everything in it is accounted for."""
    alignment = _alignment_of(original.text, text)
    findings = inspect(original, text, alignment, (edit,), message)
    warnings = refuse_or_warn(findings + unaccounted(original.text, text, alignment, merged, edit))
    return Decision(text, Strategy.MODEL, alignment, warnings, merged.alignment.certainty)


def _overruled(merged: Merged, why: str) -> Decision:
    """The draft in spite of the target; raises what was found against it."""
    verdict = structural(merged)
    warning = Warning("TARGET_DISAGREES", f"the target wrote something else and was overruled: {why}")
    return replace(verdict, warnings=(*verdict.warnings, warning))


def _alignment_of(original: str, text: str) -> Alignment:
    old, new = ([body(line) for line in split_lines(part)] for part in (original, text))
    return align_lines(old, new, "the target's text")


def _code_of(edit: Edit, original: str) -> list[str]:
    """The lines that the edit wants to see in the result."""
    known = {key_of(line) for line in split_lines(original)}
    lines = [line for snippet in edit.snippets for line in snippet.lines]
    shown = classify_lines(lines, lambda line: key_of(line) in known)
    code = [line.text for line in shown if line.kind is LineKind.CODE]
    return code + [line.text for hunk in edit.hunks for line in hunk.lines if line.op in (Op.KEEP, Op.ADD)]


def _line_of(text: str, key: str) -> int:
    return next(index for index, line in enumerate(split_lines(text)) if key_of(line) == key)
