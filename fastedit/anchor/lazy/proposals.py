"""What the words of a message say beyond its code: declarations and lines that are gone, and code that has moved."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fastedit.anchor.hints import Hints
from fastedit.anchor.lazy.lines import identity_of
from fastedit.syntax.model import Outline

PROPOSALS = ("removes_block", "removes_line", "removes_used", "removes_move", "removes_quoted", "removes_kept")
MAX_PROPOSALS = 6
MIN_MOVED_LINES = 3
MIN_MOVED_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Proposal:
    """Lines of the original that would go. values: what speaks for it, see `PROPOSALS`."""

    gone: tuple[int, ...]
    values: tuple[float, ...]

    def features(self) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        """(len(PROPOSALS),)."""
        return np.array(self.values, np.float32)


def proposals_for(
    lines: Sequence[str], origins: Sequence[int | None], original: Sequence[str], found: Outline, hints: Hints
) -> list[Proposal]:
    """What could go from a result because the words say so, or because it stands elsewhere now."""
    kept = {origin for origin in origins if origin is not None}
    written = [line for line, origin in zip(lines, origins, strict=True) if origin is None]
    result: list[Proposal] = []
    covered: set[int] = set()
    names = {name for name in hints.removed if len(name) > 1}
    for one in found.declarations:
        short = re.split(r"[.:\s]+", one.name)[-1] if one.name else ""
        if short not in names or one.kind == "import":
            continue
        whole = range(one.start_line, min(len(original), one.end_line))
        if not whole or covered.intersection(whole) or any(line not in kept for line in whole):
            continue
        covered.update(whole)
        gone = _with_blanks(whole, original, kept)
        result.append(_proposal(gone, short, lines, origins, is_block=len(whole) > 1))
    for name in sorted(names):
        places = [line for line in _lines_about(name, original) if line in kept and line not in covered]
        if len(places) == 1:
            covered.update(places)
            result.append(_proposal((places[0],), name, lines, origins, is_block=False))
    result += _moved(found, original, kept, written, covered)
    return result[:MAX_PROPOSALS]


def said_but_kept(lines: Sequence[str], original: Sequence[str], hints: Hints) -> int:
    """How many names that the words say are gone stand in a result as often as before."""
    names = [name for name in hints.removed if len(name) > 2]
    if not names:
        return 0
    before, after = "\n".join(original), "\n".join(lines)
    count = 0
    for name in names:
        num_before = before.count(name)
        count += bool(num_before) and after.count(name) >= num_before
    return min(count, 4)


def _lines_about(name: str, original: Sequence[str]) -> list[int]:
    """The lines that import, assign, key or list just this name."""
    result = []
    for number, line in enumerate(original):
        if name not in line:
            continue
        text = line.strip().rstrip(",;")
        if text.strip("\"'`*- ") == name or _is_named(name, line):
            result.append(number)
    return result


def _is_named(name: str, line: str) -> bool:
    """Whether a line imports, assigns or keys just this name."""
    identity = identity_of(line.strip())
    if identity is None:
        return False
    if identity.kind in ("import", "assign", "key", "entry") and re.split(r"[./\\:]", identity.name)[-1] == name:
        return True
    pattern = rf"\bimport\s+\{{?\s*{re.escape(name)}\s*\}}?(?:\s|;|$)"
    return identity.kind == "import" and re.search(pattern, line) is not None


def _proposal(
    gone: Sequence[int], name: str, lines: Sequence[str], origins: Sequence[int | None], *, is_block: bool
) -> Proposal:
    rest = [line for line, origin in zip(lines, origins, strict=True) if origin is None or origin not in gone]
    pattern = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    is_used = any(name in line and pattern.search(line) for line in rest)
    return Proposal(tuple(gone), (float(is_block), float(not is_block), float(is_used), 0.0, 0.0, 0.0))


def _with_blanks(whole: range, original: Sequence[str], kept: set[int]) -> tuple[int, ...]:
    """The lines with the blank ones before them, or behind them where nothing precedes."""
    start, end = whole.start, whole.stop
    before = start
    while before > 0 and not original[before - 1].strip() and before - 1 in kept:
        before -= 1
    behind = end
    while behind < len(original) and not original[behind].strip() and behind in kept:
        behind += 1
    if behind > end and (before == start or start - before >= behind - end):
        return tuple(range(start, behind)) if before < start or start == 0 or behind - end else tuple(whole)
    return tuple(range(before, end))


def _moved(
    found: Outline, original: Sequence[str], kept: set[int], written: Sequence[str], covered: set[int]
) -> list[Proposal]:
    """Declarations that were written elsewhere with much the same lines."""
    keys = {"".join(line.split()) for line in written if line.strip()}
    if len(keys) < MIN_MOVED_LINES:
        return []
    result = []
    for one in found.declarations:
        whole = range(one.start_line, min(len(original), one.end_line))
        header = "".join(original[one.header_line].split()) if one.header_line < len(original) else ""
        if header not in keys or len(header) <= 6:
            continue
        told = ["".join(original[line].split()) for line in whole if original[line].strip()]
        if len(told) < MIN_MOVED_LINES or covered.intersection(whole) or any(line not in kept for line in whole):
            continue
        share = sum(key in keys for key in told) / len(told)
        if share >= MIN_MOVED_SHARE:
            covered.update(whole)
            gone = _with_blanks(whole, original, kept)
            result.append(Proposal(gone, (0.0, 0.0, 0.0, 1.0, float(share > 0.95), 0.0)))
    return result
