"""The result of applying an edit: the new text, how it came about, and its diff."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

from rapidfuzz.distance import Indel

from fastedit.anchor.model import Alignment, Segment, SegmentKind
from fastedit.errors import Warning
from fastedit.lines import body, ending, split_lines

CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class Changes:
    """Counts of lines. modified: lines that stand for another one; added, removed: those that don't."""

    added: int = 0
    removed: int = 0
    modified: int = 0

    @property
    def total(self) -> int:
        return self.added + self.removed + self.modified


@dataclass(frozen=True, slots=True)
class Stats:
    """Figures on how a result came about. Times in milliseconds; all counts are 0 where no target took part.

    cached_tokens: the number of prompt_tokens that were not computed but taken from an earlier request.
    readings_judged: how many close readings of lazy edits a target had to choose between.
    """

    total_ms: float = 0.0
    prefill_ms: float = 0.0
    decode_ms: float = 0.0
    passes: int = 0
    drafted: int = 0
    accepted: int = 0
    divergences: int = 0
    reanchors: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    readings_judged: int = 0
    certainty: float = 1.0

    def plus(self, other: Stats) -> Stats:
        """The figures of both results together: the sums, and the smaller certainty."""
        sums = {one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)}
        return replace(Stats(**sums), certainty=min(self.certainty, other.certainty))


@dataclass(frozen=True)
class Applied:
    """The new text and how it came about.

    text: the whole new file. strategy: `structural` (the merged draft), `verified` (the merged draft, which a
    target wrote too or chose, whose word, as measured, makes it 99 % certain) or `model` (the target's own text).
    warnings: what a caller should look at. alignment: the merged draft that the text was made from.
    """

    original: str = field(repr=False)
    text: str = field(repr=False)
    path: str | None
    strategy: str
    warnings: tuple[Warning, ...] = ()
    stats: Stats = Stats()
    alignment: Alignment | None = field(default=None, repr=False)

    @cached_property
    def changes(self) -> Changes:
        return count_changes(self.original, self.text)

    @cached_property
    def diff(self) -> str:
        """A unified diff from the original to the text, empty where nothing changed."""
        return unified_diff(self.original, self.text, self.path or "original")


def count_changes(before: str, after: str) -> Changes:
    """Counts the lines that differ, line ends included."""
    old, new, _ = _trimmed(split_lines(before), split_lines(after))
    added = removed = modified = 0
    run_added = run_removed = 0
    for step in Indel.opcodes(old, new):
        if step.tag == "equal":
            paired = min(run_added, run_removed)
            modified, added, removed = modified + paired, added + run_added - paired, removed + run_removed - paired
            run_added = run_removed = 0
        elif step.tag == "delete":
            run_removed += step.src_end - step.src_start
        else:
            run_added += step.dest_end - step.dest_start
    paired = min(run_added, run_removed)
    return Changes(added + run_added - paired, removed + run_removed - paired, modified + paired)


def unified_diff(before: str, after: str, path: str) -> str:
    """A unified diff that `git apply` and `patch` take, empty where the texts are equal."""
    if before == after:
        return ""
    old, new = split_lines(before), split_lines(after)
    core_old, core_new, head = _trimmed(old, new)
    start = max(0, head - CONTEXT_LINES)
    tail_old = min(len(old), head + len(core_old) + CONTEXT_LINES)
    tail_new = min(len(new), head + len(core_new) + CONTEXT_LINES)
    lines = list(
        difflib.unified_diff(old[start:tail_old], new[start:tail_new], f"a/{path}", f"b/{path}", n=CONTEXT_LINES)
    )
    return "".join(_numbered(line, start) for line in lines)


def _numbered(line: str, offset: int) -> str:
    """The diff's line with hunk numbers moved by `offset`, and git's note where the text ends without a line end."""
    if line.startswith("@@ ") and offset:
        parts = line.split(" ")
        parts[1], parts[2] = _moved(parts[1], offset), _moved(parts[2], offset)
        return " ".join(parts)
    if not line.endswith("\n"):
        return line + "\n\\ No newline at end of file\n"
    return line


def _moved(part: str, offset: int) -> str:
    sign, numbers = part[0], part[1:].split(",")
    return sign + ",".join([str(int(numbers[0]) + offset), *numbers[1:]])


def _trimmed(old: list[str], new: list[str]) -> tuple[list[str], list[str], int]:
    """Both lists without the lines that they share at their ends, and the number of those at the head."""
    limit = min(len(old), len(new))
    head = 0
    while head < limit and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < limit - head and old[len(old) - 1 - tail] == new[len(new) - 1 - tail]:
        tail += 1
    return old[head : len(old) - tail], new[head : len(new) - tail], head


def render(original: str, alignment: Alignment) -> str:
    """The merged draft: kept lines byte for byte, new ones with the line end of their neighbour."""
    lines = split_lines(original)
    result: list[str] = []
    default = _line_end(original)
    for segment in alignment.segments:
        if segment.kind is SegmentKind.KEEP:
            result.extend(lines[segment.start : segment.end])
            continue
        result.extend(text + _end_at(lines, segment, index, default) for index, text in enumerate(segment.lines))
    return _with_final_newline(result, original, default)


def _end_at(lines: list[str], segment: Segment, index: int, default: str) -> str:
    """The line end of a segment's new line: of the line that it replaces, else of the one above."""
    place = min(segment.start + index, segment.end - 1) if segment.start < segment.end else segment.start - 1
    neighbour = lines[max(0, place)] if lines else ""
    return ending(neighbour) or default


def _line_end(text: str) -> str:
    """The commoner line end of a text."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def _with_final_newline(lines: list[str], original: str, default: str) -> str:
    """The joined lines, ending as the original ends; a line that was the last one gets an end of its own."""
    fixed = [line if line.endswith("\n") else line + default for line in lines[:-1]] + lines[-1:]
    if not fixed:
        return ""
    has_end = not original or original.endswith("\n")
    last = fixed[-1]
    if has_end and not last.endswith("\n"):
        fixed[-1] = last + default
    elif not has_end and last.endswith("\n"):
        fixed[-1] = body(last)
    return "".join(fixed)
