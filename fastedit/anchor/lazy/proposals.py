"""Proposals of what words say beyond a message's code: lines that go, change or are added; and how to follow them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from fastedit.anchor.hints import Hints
from fastedit.anchor.lazy.beside import BESIDE
from fastedit.anchor.lazy.keys.gone import GONE
from fastedit.anchor.lazy.reworded import CHANGED
from fastedit.anchor.lazy.spoken import SPOKEN

PROPOSALS: tuple[str, ...] = (
    "removes_block", "removes_line", "removes_used", "removes_move", "removes_quoted", "removes_kept", "removes_part",
    "removes_imported", "removes_repeat", "removes_among", *(f"spoken_{name}" for name in SPOKEN),
    *(f"reworded_{name}" for name in CHANGED), *(f"beside_{name}" for name in BESIDE),
    *(f"entries_{name}" for name in GONE),
)  # fmt: skip
MAX_WAYS = 24  # the best sets of proposals


@dataclass(frozen=True, slots=True)
class ProposedLoss:
    """Lines of the original that would go, and others that would become other lines: (line, what it would be).

    values: what speaks for it, see `PROPOSALS`. added: (line, text) of new lines behind one of the original, -1 for the
    top. after: another proposal without which this one means nothing.
    """

    gone: tuple[int, ...]
    values: tuple[float, ...]
    changed: tuple[tuple[int, str], ...] = ()
    added: tuple[tuple[int, str], ...] = ()
    after: ProposedLoss | None = None

    @property
    def is_certain(self) -> bool:
        """Whether the words name this block, or name or quote just these lines, which nothing else needs."""
        told = dict(zip(PROPOSALS, self.values, strict=True))
        is_told = told["removes_line"] or told["removes_quoted"] or told["removes_part"]
        return bool(told["removes_block"] or (is_told and not told["removes_used"] and not told["removes_among"]))

    def features(self) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        """(len(PROPOSALS),)."""
        return np.array(self.values, np.float32)


def combinations(
    proposals: Sequence[ProposedLoss], worth: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> list[tuple[ProposedLoss, ...]]:
    """The ways to follow proposals that are worth a look: none, each, all, and the best sets of them."""
    values = [float(one.features() @ worth) for one in proposals]
    good = {number for number, value in enumerate(values) if value > 0}
    ways = [set[int](), *({number} for number in range(len(proposals))), set(range(len(proposals)))]
    ways += [good ^ others for others in _least(list(map(abs, values)), MAX_WAYS)]
    result: dict[tuple[int, ...], tuple[ProposedLoss, ...]] = {}
    for way in ways:
        wanted = [proposals[number] for number in sorted(way)]
        if len(wanted) == 1 and wanted[0].after is not None:
            wanted.insert(0, wanted[0].after)
        chosen = tuple(one for one in wanted if one.after is None or one.after in wanted)
        result.setdefault(tuple(id(one) for one in chosen), chosen)
    return list(result.values())


def _least(costs: Sequence[float], count: int) -> list[frozenset[int]]:
    """The sets of numbers that cost least together, the empty one first."""
    order = sorted(range(len(costs)), key=lambda number: costs[number])
    result: list[frozenset[int]] = [frozenset()]
    heap: list[tuple[float, tuple[int, ...]]] = [(costs[order[0]], (0,))] if order else []
    while heap and len(result) < count:
        cost, chosen = heappop(heap)
        result.append(frozenset(order[one] for one in chosen))
        last = chosen[-1]
        if last + 1 < len(order):
            more = costs[order[last + 1]]
            heappush(heap, (cost + more, (*chosen, last + 1)))
            heappush(heap, (cost + more - costs[order[last]], (*chosen[:-1], last + 1)))
    return result


def followed(
    lines: Sequence[str], origins: Sequence[int | None], chosen: Sequence[ProposedLoss], language: str = ""
) -> tuple[tuple[str, ...], tuple[int | None, ...]]:
    """The lines of a result with proposals followed, and where each of them is from."""
    if not chosen:
        return tuple(lines), tuple(origins)
    gone = {line for one in chosen for line in one.gone}
    changed = {line: text for one in chosen for line, text in one.changed}
    added: dict[int | None, list[str]] = {}
    for line, text in (new for one in chosen for new in one.added):
        added.setdefault(line, []).append(text)
    texts: list[str] = list(added.get(-1, ()))
    places: list[int | None] = [None] * len(texts)
    num_blank = -1  # blank lines before lines that went, -1 elsewhere
    for text, origin in zip(lines, origins, strict=True):
        if origin in gone:
            num_blank = max(num_blank, _num_blank_behind(texts))
            continue
        if num_blank > 0 and not text.strip():
            num_blank -= 1  # what stood between blank lines leaves no more than there were on one side
            continue
        if language == "json" and num_blank >= 0 and text.strip()[:1] in ("}", "]") and texts:
            less = texts[-1].rstrip().removesuffix(",")  # JSON's last entry has no comma
            texts[-1], places[-1] = less, places[-1] if less == texts[-1] else None
        num_blank = -1
        texts.append(text if origin is None else changed.get(origin, text))
        places.append(None if origin in changed else origin)
        if origin in added:
            texts += added[origin]
            places += [None] * len(added[origin])
    return tuple(texts), tuple(places)


def _num_blank_behind(texts: Sequence[str]) -> int:
    """Counts the blank lines that a text ends in; more than there can be where it has no others."""
    return next((num for num, text in enumerate(reversed(texts)) if text.strip()), 99)


def said_but_kept(lines: Sequence[str], original: Sequence[str], hints: Hints) -> int:
    """Counts the names (up to 4) that the words say are gone and that stand in a result as often as before."""
    names = [name for name in hints.removed if len(name) > 2]
    if not names:
        return 0
    before, after = "\n".join(original), "\n".join(lines)
    count = 0
    for name in names:
        num_before = before.count(name)
        count += bool(num_before) and after.count(name) >= num_before
    return min(count, 4)


def still_named(count: int) -> ProposedLoss:
    """A proposal without lines that only counts names that the words say are gone and that still stand in a result."""
    return ProposedLoss((), tuple(float(count) * (name == "removes_kept") for name in PROPOSALS))
