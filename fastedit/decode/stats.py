"""Counts and times of a request."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DecodeStats:
    """Counts and times of one request.

    passes: forward passes it took part in. drafted: draft tokens fed; accepted: those that the target agreed with.
    divergences: passes in which it refused one. reanchors: places found again after a divergence.
    cached_tokens: prompt tokens taken from an earlier request. queue_ms: waiting for a slot. prefill_ms: until the
    first output tokens were there; decode_ms: from then on. total_ms: from submission to the end.
    pass_ms: time in the target's forward passes alone. fallbacks: what was done in a slower way than usual, and why.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    passes: int = 0
    drafted: int = 0
    accepted: int = 0
    divergences: int = 0
    reanchors: int = 0
    queue_ms: float = 0.0
    prefill_ms: float = 0.0
    decode_ms: float = 0.0
    pass_ms: float = 0.0
    total_ms: float = 0.0
    fallbacks: tuple[str, ...] = ()

    @property
    def rejected(self) -> int:
        return self.drafted - self.accepted
