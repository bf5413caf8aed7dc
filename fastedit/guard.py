"""Is the result faithful? What was lost, leaked or broken, as findings that refuse or warn.

The guard knows the original, the result and the alignment, not how the result was made: a target's
text is judged like a structural one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fastedit.anchor.model import Alignment, SegmentKind
from fastedit.anchor.text import key_of
from fastedit.edits.lazy import LineKind, classify_lines
from fastedit.edits.model import Edit, Format
from fastedit.errors import Code, ResultRefused, Warning
from fastedit.lines import body, split_lines
from fastedit.syntax import added_errors, count_errors, outline

MAX_BLAST_SHARE = 0.8
MIN_LINES_FOR_BLAST = 40
MAX_LOST_SHARE = 0.5
MAX_LOST_SYMBOLS = 3
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that speaks against a result. is_fatal: it must not be applied unasked."""

    code: Code
    message: str
    line: int | None = None
    is_fatal: bool = False

    def as_warning(self) -> Warning:
        return Warning(self.code.value, self.message, self.line)


def inspect(original: str, text: str, alignment: Alignment, edits: tuple[Edit, ...], language: str, message: str) -> list[Finding]:
    """What speaks against `text` as the result of the edits; nothing where it is faithful.

    message: what the assistant wrote, prose included; what it names as removed may go.
    """
    if original == text:
        return []
    findings: list[Finding] = []
    is_lazy = any(edit.format is Format.LAZY for edit in edits)
    if is_lazy:
        findings += _leaks(original, text)
        findings += _losses(original, text, edits)
        findings += _blast(original, alignment)
    findings += _lost_symbols(original, text, language, message, is_fatal=is_lazy)
    findings += _broken(original, text, language, is_fatal=is_lazy)
    return findings


def refuse_or_warn(findings: list[Finding]) -> tuple[Warning, ...]:
    """The findings as warnings; ResultRefused with the first fatal one."""
    for finding in findings:
        if finding.is_fatal:
            raise ResultRefused(finding.code, finding.message)
    return tuple(finding.as_warning() for finding in findings)


def _leaks(original: str, text: str) -> list[Finding]:
    known = {key_of(line) for line in split_lines(original)}
    for number, line in enumerate(split_lines(text)):
        if "..." not in line and "…" not in line or key_of(line) in known:
            continue
        kinds = [found.kind for found in classify_lines([body(line)], lambda _: False)]
        if kinds == [LineKind.MARKER] and line.strip() != "...":
            return [Finding(Code.MARKER_LEAKAGE, f"line {number + 1} of the result is a marker", number, True)]
    return []


def _losses(original: str, text: str, edits: tuple[Edit, ...]) -> list[Finding]:
    num_before, num_after = original.count("\n") + 1, text.count("\n") + 1
    if num_before < 20 or num_after >= num_before * (1 - MAX_LOST_SHARE) or len(text) >= len(original) * (1 - MAX_LOST_SHARE):
        return []
    message = f"{num_before - num_after} of {num_before} lines would go"
    return [Finding(Code.TRUNCATION_DETECTED, message, None, True)]


def _blast(original: str, alignment: Alignment) -> list[Finding]:
    num_lines = original.count("\n") + 1
    num_gone = sum(s.end - s.start for s in alignment.segments if s.kind in (SegmentKind.REPLACE, SegmentKind.DELETE))
    if num_lines < MIN_LINES_FOR_BLAST or num_gone <= MAX_BLAST_SHARE * num_lines:
        return []
    message = f"{num_gone} of {num_lines} lines would change"
    return [Finding(Code.BLAST_RADIUS_EXCEEDED, message, None, True)]


def _lost_symbols(original: str, text: str, language: str, message: str, *, is_fatal: bool) -> list[Finding]:
    before, after = outline(original, language), outline(text, language)
    if not before.is_complete or not after.is_complete:
        return []
    remaining = set(_WORD.findall(text))
    mentioned = set(_WORD.findall(message))
    kinds = ("function", "class")
    lost = [
        declaration
        for declaration in before.declarations
        if declaration.kind in kinds and declaration.name and not set(_WORD.findall(declaration.name)) & remaining
    ]
    if not lost:
        return []
    unmentioned = [declaration for declaration in lost if not set(_WORD.findall(declaration.name)) & mentioned]
    names = ", ".join(dict.fromkeys(declaration.name for declaration in lost[:8]))
    return [Finding(Code.SYMBOL_LOST, f"gone: {names}", None, is_fatal and len(unmentioned) > MAX_LOST_SYMBOLS)]


def _broken(original: str, text: str, language: str, *, is_fatal: bool) -> list[Finding]:
    added = added_errors(original, text, language)
    if added <= 0:
        return []
    # Where the grammar already stumbles over the original, one more stumble says little.
    was_clean = count_errors(original, language) == 0
    return [Finding(Code.SYNTAX_BROKEN, f"{added} more syntax errors than before", None, is_fatal and was_clean)]
