"""Checks whether a result is faithful: finds what was lost, leaked or broken, and refuses or warns.

The guard knows the original, the result and the alignment, not how the result was made: a target's
text is judged like a structural one.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fastedit.anchor.hints import hints_of
from fastedit.anchor.lazy.identity import identity_of
from fastedit.anchor.model import Alignment, SegmentKind
from fastedit.edits.model import Edit, Format
from fastedit.edits.wording import LineKind, classify_lines
from fastedit.errors import Code, ResultRefused, Warning
from fastedit.lines import body, is_trivial, key_of, split_lines
from fastedit.syntax import count_errors, outline
from fastedit.syntax.model import Declaration, Outline
from fastedit.syntax.parse import ErrorCounter

PARTS = ("value", "import")  # kinds that own no lines but their own
MAX_BLAST_SHARE = 0.8
MIN_LINES_FOR_BLAST = 40
MAX_LOST_SHARE = 0.5
MAX_LOST_SYMBOLS = 3
MAX_NAMED = 8
MAX_LOST_TOGETHER = 1
MIN_SHARE_WRITTEN = 0.5
MIN_LINES_FOR_LOSS = 20
SYMBOLS = ("function", "class")
OWNERS = (*SYMBOLS, "block", "section")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def taken_over(
    before: str, outline_before: Outline, after: str, outline_after: Outline, gone: Collection[str]
) -> tuple[str, str] | None:
    """The names of a declaration that is gone, and of another that was there before and has lines of it now.

    None where there are no such two. They are a sign that lines were found in the wrong place: a function's end is left
    behind under another one, a table's keys come to be another table's. Lines that stand once in each text count.
    gone: names of declarations that may be gone.
    """
    names = {found.name for found in _owning(outline_before)}
    lost = set(gone) & names - {found.name for found in _owning(outline_after)}
    if not lost:
        return None
    lines, lines_after = split_lines(before), split_lines(after)
    owners, owners_after = _owners(outline_before, len(lines)), _owners(outline_after, len(lines_after))
    place_after = _single_places(lines_after)
    for key, line in _single_places(lines).items():
        if key not in place_after:
            continue
        losing = [found.name for found in owners[line] if found.name in lost and found.header_line != line]
        known = names - {found.name for found in owners[line]}
        taking = [found.name for found in owners_after[place_after[key]] if found.name in known]
        if losing and taking:
            return losing[-1], taking[-1]
    return None


def _owning(outline: Outline) -> list[Declaration]:
    return [found for found in outline.declarations if found.name and found.kind not in PARTS]


def _owners(outline: Outline, num_lines: int) -> list[tuple[Declaration, ...]]:
    """The declarations that each line is in, from the outermost to the innermost."""
    owners: list[tuple[Declaration, ...]] = [()] * num_lines
    for found in _owning(outline):  # a parent comes before its children
        for line in range(found.start_line, min(num_lines, found.end_line)):
            owners[line] += (found,)
    return owners


def _single_places(lines: Sequence[str]) -> dict[str, int]:
    """The positions of the telling lines that stand in the text once, by their keys."""
    keys = [key_of(line) for line in lines]
    counts = Counter(keys)
    return {key: line for line, key in enumerate(keys) if counts[key] == 1 and not is_trivial(key)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that speaks against a result. is_fatal: it must not be applied unasked."""

    code: Code
    message: str
    line: int | None = None
    is_fatal: bool = False

    def as_warning(self) -> Warning:
        return Warning(self.code.value, self.message, self.line)


class Original(NamedTuple):
    """A file's text, its language and its outline."""

    text: str
    language: str
    outline: Outline


def inspect(
    original: Original, text: str, alignment: Alignment, edits: tuple[Edit, ...], message: str
) -> list[Finding]:
    """Finds what speaks against `text` as the result of the edits; nothing where it is faithful.

    message: what the assistant wrote, prose included; what it names as removed may go.
    """
    if original.text == text:
        return []
    findings: list[Finding] = []
    is_lazy = any(edit.format is Format.LAZY for edit in edits)
    if is_lazy:
        findings += _leaks(original.text, text, alignment)
        findings += _losses(original, text, alignment, message)
        findings += _blast(original.text, alignment)
    findings += _lost_symbols(original, text, alignment, message, is_fatal=is_lazy)
    if is_lazy:
        findings += _emptied(original, alignment, message)
        findings += _dangling_symbols(original, text, alignment, message)
        findings += _taken_over(original, text, alignment, message)
    findings += _broken(original, text, alignment, is_fatal=is_lazy)
    return findings


def refuse_or_warn(findings: list[Finding]) -> tuple[Warning, ...]:
    """Returns the findings as warnings. Raises ResultRefused with the first fatal one."""
    for finding in findings:
        if finding.is_fatal:
            raise ResultRefused(finding.code, finding.message)
    return tuple(finding.as_warning() for finding in findings)


def _leaks(original: str, text: str, alignment: Alignment) -> list[Finding]:
    new = [line for segment in alignment.segments for line in segment.lines if "..." in line or "…" in line]
    if not new:
        return []
    before, after = (Counter(key_of(line) for line in split_lines(part)) for part in (original, text))
    for line in new:
        kinds = [found.kind for found in classify_lines([line], lambda _: False)]
        if kinds == [LineKind.MARKER] and line.strip() != "..." and after[key_of(line)] > before[key_of(line)]:
            return [Finding(Code.MARKER_LEAKAGE, "a marker would stand in the result", None, True)]
    return []


def _losses(original: Original, text: str, alignment: Alignment, message: str) -> list[Finding]:
    num_before, num_after = original.text.count("\n") + 1, text.count("\n") + 1
    is_short = len(text) < len(original.text) * (1 - MAX_LOST_SHARE)
    num_lost = num_before - num_after
    if num_before < MIN_LINES_FOR_LOSS or not is_short or num_lost <= num_before * MAX_LOST_SHARE:
        return []
    if num_lost - _num_accounted(original, alignment, message) <= num_before * MAX_LOST_SHARE:
        return []
    return [Finding(Code.TRUNCATION_DETECTED, f"{num_lost} of {num_before} lines would go", None, True)]


def _num_accounted(original: Original, alignment: Alignment, message: str) -> int:
    """Counts the lines that go and have others written for them, or are declarations that the message says are gone.

    Lines that only quote others of the file stand for nothing, and none stand for several declarations.
    """
    known = {key_of(line) for line in split_lines(original.text)}
    removed = hints_of(message).removed
    count = 0
    for segment in alignment.segments:
        if segment.kind is SegmentKind.KEEP:
            continue
        whole = [
            found
            for found in original.outline.declarations
            if segment.start <= found.start_line and found.end_line <= segment.end
        ]
        is_new = any(line.strip() and key_of(line) not in known for line in segment.lines)
        if is_new and sum(found.kind in SYMBOLS for found in whole) <= 1:
            count += max(0, segment.end - segment.start - len(segment.lines))
        elif not segment.lines:
            count += sum(found.end_line - found.start_line for found in whole if found.name in removed)
    return count


def _blast(original: str, alignment: Alignment) -> list[Finding]:
    num_lines = original.count("\n") + 1
    num_gone = sum(s.end - s.start for s in alignment.segments if s.kind in (SegmentKind.REPLACE, SegmentKind.DELETE))
    if num_lines < MIN_LINES_FOR_BLAST or num_gone <= MAX_BLAST_SHARE * num_lines:
        return []
    message = f"{num_gone} of {num_lines} lines would change"
    return [Finding(Code.BLAST_RADIUS_EXCEEDED, message, None, True)]


def _lost_symbols(
    original: Original, text: str, alignment: Alignment, message: str, *, is_fatal: bool
) -> list[Finding]:
    """The functions and classes whose headers go and whose names stand nowhere in the result."""
    names = {found.name for found in _gone(original.outline, alignment)}
    lost = sorted(name for name in names if not _is_mentioned(name, text))
    if not lost:
        return []
    silent = {name for name in lost if not _is_mentioned(name, message)}
    unreplaced = _without_replacement(original, alignment, silent)
    is_too_much = bool(unreplaced) or len(silent) > MAX_LOST_SYMBOLS or _go_together(original, alignment, silent)
    return [Finding(Code.SYMBOL_LOST, f"gone: {', '.join(lost[:MAX_NAMED])}", None, is_fatal and is_too_much)]


def _emptied(original: Original, alignment: Alignment, message: str) -> list[Finding]:
    """The types that stay while each of their members goes, be it one, and the message names none of these.

    So reads a snippet that shows a type with nothing but a new member in it, where it's taken for the whole.
    """
    declarations = original.outline.declarations
    gone = {id(found) for found in _gone(original.outline, alignment, (*SYMBOLS, "value"))}
    members: dict[int, list[Declaration]] = {}
    for found in declarations:
        if found.name and found.kind in (*SYMBOLS, "value"):
            members.setdefault(found.parent, []).append(found)
    for number, owner in enumerate(declarations):
        lost = members.get(number, [])
        if owner.kind != "class" or id(owner) in gone or not lost:
            continue
        if all(id(one) in gone and (one.name == owner.name or not _is_mentioned(one.name, message)) for one in lost):
            names = ", ".join(one.name for one in lost[:MAX_NAMED])
            return [Finding(Code.SYMBOL_LOST, f"gone, and all that {owner.name} had: {names}", None, True)]
    return []


def _without_replacement(original: Original, alignment: Alignment, names: set[str]) -> set[str]:
    """Those of the names whose headers go with nothing else declared in their place, so that it is no rename."""
    result: set[str] = set()
    for found in _gone(original.outline, alignment):
        if found.name not in names:
            continue
        segment = next((s for s in alignment.segments if s.start <= found.header_line < s.end), None)
        known = {line.strip() for line in split_lines(original.text)}
        new = [line.strip() for line in segment.lines if line.strip() not in known] if segment is not None else []
        declared = any((identity := identity_of(line)) is not None and identity.kind == "decl" for line in new)
        if not declared:
            result.add(found.name)
    return result


def _go_together(original: Original, alignment: Alignment, names: set[str]) -> bool:
    """Whether several of these go at one place where little is written for them.

    To delete one function by showing its neighbours is usual. Where more than one would go, the snippet's lines are
    more likely to have been found in the wrong function.
    """
    lines = split_lines(original.text)
    for segment in alignment.segments:
        if segment.kind not in (SegmentKind.REPLACE, SegmentKind.DELETE):
            continue
        gone = [
            found
            for found in _outermost(original.outline.declarations, segment.start, segment.end)
            if found.name in names
        ]
        num_gone = sum(bool(line.strip()) for found in gone for line in lines[found.start_line : found.end_line])
        num_written = sum(bool(line.strip()) for line in segment.lines)
        if len(gone) > MAX_LOST_TOGETHER and num_written < MIN_SHARE_WRITTEN * num_gone:
            return True
    return False


def _outermost(declarations: Sequence[Declaration], start: int, end: int) -> list[Declaration]:
    """The functions and classes in lines [start, end) that are in none of the others."""
    result: list[Declaration] = []
    for found in declarations:  # a parent comes before its children
        is_one = found.kind in SYMBOLS and bool(found.name)
        is_in_last = bool(result) and found.start_line < result[-1].end_line
        if is_one and not is_in_last and start <= found.start_line and found.end_line <= end:
            result.append(found)
    return result


def _dangling_symbols(original: Original, text: str, alignment: Alignment, message: str) -> list[Finding]:
    """The file's own functions and classes that go without a word while what stays still calls them."""
    removed = hints_of(message).removed
    gone = {found.name for found in _gone(original.outline, alignment) if found.parent < 0} - removed
    called = {name for name in gone if _is_called(name, text)}
    called = {name for name in called if not _is_mentioned(name, message, otherwise_than_called=True)}
    if not called:
        return []
    lost = sorted(called - {found.name for found in outline(text, original.language).declarations})
    if not lost:
        return []
    return [Finding(Code.SYMBOL_LOST, f"gone, and still called: {', '.join(lost[:MAX_NAMED])}", None, True)]


def _taken_over(original: Original, text: str, alignment: Alignment, message: str) -> list[Finding]:
    """Lines that go from a declaration which is gone, and of which nothing says so, to another."""
    written = "".join(line + "\n" for segment in alignment.segments for line in segment.lines)
    gone = {
        found.name for found in _gone(original.outline, alignment, OWNERS) if not _is_mentioned(found.name, written)
    }
    gone -= hints_of(message).removed
    if not gone:
        return []
    names = taken_over(original.text, original.outline, text, outline(text, original.language), gone)
    if names is None:
        return []
    return [Finding(Code.SYMBOL_LOST, f"{names[0]} is gone, and lines of it are {names[1]}'s now", None, True)]


def _gone(outlined: Outline, alignment: Alignment, kinds: Collection[str] = SYMBOLS) -> list[Declaration]:
    """The declarations of these kinds whose headers go or are replaced."""
    gone = [(s.start, s.end) for s in alignment.segments if s.kind in (SegmentKind.REPLACE, SegmentKind.DELETE)]
    return [
        found
        for found in outlined.declarations
        if found.kind in kinds and found.name and _is_within(found.header_line, gone)
    ]


def _is_within(line: int, ranges: list[tuple[int, int]]) -> bool:
    """Whether a line is in one of the ranges, which ascend."""
    position = bisect_right(ranges, (line, sys.maxsize)) - 1
    return position >= 0 and line < ranges[position][1]


def _is_mentioned(name: str, text: str, *, otherwise_than_called: bool = False) -> bool:
    """Whether any word of a declaration's name stands in the text (its last one where it has several).

    otherwise_than_called: in words, or where it is imported.
    """
    words = _WORD.findall(name)
    end = r"[\w$(]" if otherwise_than_called else r"[\w$]"
    return bool(words) and re.search(rf"(?<![\w$]){re.escape(words[-1])}(?!{end})", text) is not None


def _is_called(name: str, text: str) -> bool:
    """Whether the text calls something of that name, not as a part of something else nor in quotes."""
    return re.search(rf"(?<![\w$.'\"`]){re.escape(name)}\(", text) is not None


def _broken(original: Original, text: str, alignment: Alignment, *, is_fatal: bool) -> list[Finding]:
    if _is_sound(original, alignment):
        return []
    num_after = count_errors(text, original.language)
    if not num_after or not original.outline.is_complete or num_after <= original.outline.num_errors:
        return []
    if outline(text, original.language).num_errors <= original.outline.num_errors:
        return []  # a dialect's grammar reads it
    # Where the grammar already stumbles over the original, one more stumble says little.
    message = f"{num_after - original.outline.num_errors} more syntax errors than before"
    return [Finding(Code.SYNTAX_BROKEN, message, None, is_fatal and original.outline.num_errors == 0)]


def _is_sound(original: Original, alignment: Alignment) -> bool:
    """Whether a reader of nothing but the changed places finds no more errors than before; False where it's unsure."""
    if not original.language:
        return False
    counter = ErrorCounter([body(line) for line in split_lines(original.text)], original.language)
    num_after = counter.after([(one.start, one.end, one.lines) for one in alignment.changes])
    return num_after is not None and num_after <= original.outline.num_errors
