"""Indents an edit's lines as deep as the original's: assistants write in other steps, or from another margin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise, takewhile

from fastedit.lines import indent_of


def unit_of(lines: Sequence[str]) -> str:
    """The step by which most lines that are deeper than the line before are deeper; "" where there are none."""
    indents = [indent_of(line) for line in lines if line.strip()]
    steps = Counter(
        other.removeprefix(one) for one, other in pairwise(indents) if len(other) > len(one) and other.startswith(one)
    )
    return max(steps, key=lambda step: (steps[step], -len(step)), default="")


def as_deep(codes: list[str], twins: Sequence[tuple[str, str]], unit: str, other_unit: str) -> list[str]:
    """The lines, indented so that most twins are where the original has them: as they are, moved as far as the least
    deep twin, or moved so and in the original's steps.
    """
    base, there = min(((indent_of(code), indent_of(twin)) for code, twin in twins), key=lambda pair: len(pair[0]))
    ways: list[Callable[[str], str | None]] = [
        lambda indent: indent,
        lambda indent: _shifted(indent, *_move_between(base, there)),
        lambda indent: _scaled(indent, base, there, unit, other_unit),
    ]
    best = max(ways, key=lambda way: sum(way(indent_of(code)) == indent_of(twin) for code, twin in twins))
    indents = [best(indent_of(code)) if code.strip() else indent_of(code) for code in codes]
    if any(indent is None for indent in indents):
        return codes
    return [str(indent) + code[len(indent_of(code)) :] for indent, code in zip(indents, codes, strict=True)]


def _move_between(own: str, there: str) -> tuple[str, str]:
    """The white space to cut from the beginning of an indentation and the one to put there, to have the other."""
    pairs = zip(reversed(own), reversed(there), strict=False)
    num_common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return own[: len(own) - num_common], there[: len(there) - num_common]


def _shifted(indent: str, cut: str, new: str) -> str | None:
    return new + indent.removeprefix(cut) if indent.startswith(cut) else None


def _scaled(indent: str, base: str, there: str, unit: str, other_unit: str) -> str | None:
    """The indentation with the other's steps from `there` instead of its own from `base`."""
    if not unit or not other_unit:
        return None
    steps, rest = divmod(len(indent) - len(base), len(unit))
    if steps < 0:
        less = other_unit * -steps
        return there.removesuffix(less) + " " * rest if there.endswith(less) else None
    return there + other_unit * steps + " " * rest
