"""Processor time in a unit that a slow or a busy machine stretches alike: that of a piece of work beside it."""

from __future__ import annotations

import time
from collections.abc import Callable


def took(work: Callable[[], object]) -> float:
    """The processor time of `work` in units, each about 10 ms of a machine of 2024."""
    units = [_seconds(_unit)]
    taken = _seconds(work)
    units.append(_seconds(_unit))
    return taken / max(units)


def _seconds(work: Callable[[], object]) -> float:
    started_s = time.process_time()
    work()
    return time.process_time() - started_s


def _unit() -> int:
    words = [f"{number % 977} {number}" for number in range(20_000)]
    return sum(len(word.split()) for word in words) + len({word: word for word in words})
