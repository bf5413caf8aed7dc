"""Limits on what an engine uses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """The limits of one engine.

    num_slots: requests decoded at once, at most; fewer where `cache_bytes` holds fewer of `min_slot_len` tokens.
    slot_len: tokens of a slot, None for what the memory gives, up to the target's context. A request whose prompt and
    output are longer takes several slots side by side, and others wait meanwhile.
    cache_bytes: all of the KV cache, None for the device's default. max_waiting: requests that may wait for a slot.
    pass_tokens: tokens fed in one pass, at most; with several requests no more than fit into about `pass_s` seconds,
    so that a long prompt doesn't hold up the others. use_graphs: capture CUDA graphs (a GPU only). is_exact: on a GPU,
    run every pass at one width, so that an output depends on prompt and seed to the last bit, whatever the drafts and
    the other requests; slower at prefill. niceness: how readily the thread that `Engine.start` makes, and the threads
    that compute for it, give way to whatever else wants to run, as for nice(1); Linux only.
    """

    num_slots: int = 8
    slot_len: int | None = None
    min_slot_len: int = 2048
    cache_bytes: int | None = None
    max_waiting: int = 256
    pass_tokens: int = 8192
    pass_s: float = 0.25
    use_graphs: bool = True
    is_exact: bool = False
    niceness: int = 0
