"""Limits how often each caller may ask: a bucket of tokens that fills up steadily."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MAX_CALLERS = 10_000  # buckets kept; those unused for longest are full again by the time they are dropped


@dataclass(slots=True)
class TokenBucket:
    tokens: float
    filled_s: float


class RateLimiter:
    """Lets each caller have `per_minute` requests, all at once if need be."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._size = per_minute
        self._per_s = per_minute / 60
        self._clock = clock
        self._buckets: OrderedDict[bytes, TokenBucket] = OrderedDict()

    def take(self, caller: bytes) -> float:
        """Takes a token and gives 0.0; or gives the seconds until there is one."""
        now_s = self._clock()
        bucket = self._buckets.setdefault(caller, TokenBucket(self._size, now_s))
        self._buckets.move_to_end(caller)
        if len(self._buckets) > MAX_CALLERS:
            self._buckets.popitem(last=False)
        bucket.tokens = min(self._size, bucket.tokens + (now_s - bucket.filled_s) * self._per_s)
        bucket.filled_s = now_s
        if bucket.tokens < 1:
            return (1 - bucket.tokens) / self._per_s
        bucket.tokens -= 1
        return 0.0
