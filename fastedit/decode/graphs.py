"""Passes of a fused decoder, captured as CUDA graphs for the widths that decoding uses.

A pass of 100 tokens launches some 300 kernels; a graph launches them as one. Everything that varies between passes
(tokens, slots, lengths) is data on the device, so one graph for each bucket of requests and tokens serves every
context length. Graphs are captured when first needed, those of one request when the engine measures its costs. What no
bucket holds (prefill, sampling) runs without a graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor

from fastedit.decode.cache import KVSlots
from fastedit.decode.fused import FusedDecoder, Index, packed_index
from fastedit.decode.kernels import load_kernels
from fastedit.decode.memory import on_device, release_memory
from fastedit.decode.probe import Traits, difference
from fastedit.decode.runner import Append

REQUEST_BUCKETS = (1, 2, 4, 8, 16, 32)
TOKEN_BUCKETS = (1, 16, 32, 64, 128, 192, 256, 512)
SHORTEST_CHUNK = 16
SHARES_OF_LONG_CHUNK = 2  # a chunk of up to twice a fair share is a short one


@dataclass(frozen=True, slots=True)
class Bucket:
    """What one graph serves: up to so many requests, so many tokens in all, and so many tokens of one request."""

    requests: int
    tokens: int
    chunk: int


def bucket_for(counts: Sequence[int], token_buckets: Sequence[int] = TOKEN_BUCKETS) -> Bucket | None:
    """The smallest bucket for a pass that feeds `counts[i]` tokens of request i; None where there is none.

    The attention kernel's grid covers the longest chunk of every request. Among many requests chunks are short as a
    rule, so there is a bucket for that, too: a grid for the rare long one would be mostly empty.
    """
    requests, tokens = _fitting(len(counts), REQUEST_BUCKETS), _fitting(sum(counts), token_buckets)
    if requests is None or tokens is None:
        return None
    short = max(SHORTEST_CHUNK, SHARES_OF_LONG_CHUNK * tokens // requests)
    return Bucket(requests, tokens, short if max(counts) <= short < tokens else tokens)


def _fitting(number: int, buckets: Sequence[int]) -> int | None:
    return next((bucket for bucket in buckets if number <= bucket), None)


@dataclass(frozen=True, slots=True)
class Captured:
    """A graph with its inputs and its output.

    inputs: int32 on the device, tokens [T], cu_seqlens [N + 1], slots [N], lengths [N] one behind the other.
    staging: the same on the host, pinned. own: int32 [T], the target's own token for each.
    """

    graph: torch.cuda.CUDAGraph
    inputs: Tensor
    staging: Tensor
    own: Tensor


class FusedRunner:
    """Runs passes of a fused decoder over its own slots; see `decode.runner.Runner`."""

    def __init__(
        self, decoder: FusedDecoder, num_slots: int, slot_len: int, *, is_exact: bool = False, use_graphs: bool = True
    ) -> None:
        self._decoder = decoder
        self._device = decoder.embedding.device
        self._cache = KVSlots(decoder.cache_shape, num_slots, slot_len, self._device)
        self._mode = load_kernels().EXACT if is_exact else load_kernels().FAST
        self._use_graphs = use_graphs and self._device.type == "cuda"
        # Exact passes all have one width.
        self._token_buckets = tuple(self._mode.row_buckets) if is_exact else TOKEN_BUCKETS
        self._graphs: dict[Bucket, Captured] = {}
        self._memory: Any = None  # one pool for all graphs: they never run at once
        self._fallbacks: tuple[str, ...] = ()

    @property
    def num_slots(self) -> int:
        return self._cache.num_slots

    @property
    def slot_len(self) -> int:
        return self._cache.slot_len

    @property
    def cache_bytes(self) -> int:
        return self._cache.num_bytes

    @property
    def fallbacks(self) -> tuple[str, ...]:
        return self._fallbacks

    @property
    def step_widths(self) -> tuple[int, ...]:
        """Widths between which a pass costs what the next one does; empty without graphs."""
        return self._token_buckets if self._use_graphs else ()

    @torch.inference_mode()
    def append(self, appends: Sequence[Append]) -> list[list[int]]:
        bucket = self._bucket(appends)
        with on_device(self._device):
            own = self._replay(appends, bucket) if bucket else self._eager(appends)
        answers, at = [], 0
        for append in appends:
            answers.append(own[at : at + append.num_rows])
            at += append.num_rows
        return answers

    def copy_prefix(self, source: int, destination: int, length: int) -> None:
        self._cache.copy_prefix(source, destination, length)

    def release_memory(self) -> None:
        release_memory(self._device)

    @torch.inference_mode()
    def difference(self, traits: Traits) -> float:
        """By how much of their size its logits miss the model's own; see `probe.difference`."""

        def hidden_of(parts: Sequence[tuple[int, int, list[int]]]) -> Tensor:
            appends = [Append(*part, num_rows=0) for part in parts]
            return self._hidden(appends)[: sum(len(append.tokens) for append in appends)]

        def logits_of(hidden: Tensor) -> Tensor:
            return torch.nn.functional.linear(hidden, self._decoder.head)

        return difference(traits, hidden_of, logits_of, self.num_slots, self.slot_len)

    def _bucket(self, appends: Sequence[Append]) -> Bucket | None:
        all_greedy = all(append.sampling.is_greedy for append in appends)
        if not self._use_graphs or not all_greedy:
            return None
        return bucket_for([len(append.tokens) for append in appends], self._token_buckets)

    def _eager(self, appends: Sequence[Append]) -> list[int]:
        """The own tokens of all wanted rows, without a graph."""
        hidden = self._hidden(appends)
        wanted = _wanted(appends)
        if not wanted:
            return []
        rows = hidden[torch.tensor(wanted, device=self._device)]
        return self._verify(rows, appends)

    def _hidden(self, appends: Sequence[Append]) -> Tensor:
        """The last hidden states of all packed tokens, and of as many more as exact mode fills up: [T, D]."""
        counts = [len(append.tokens) for append in appends]
        index = packed_index(
            [append.length for append in appends], counts, [append.slot for append in appends], self._device
        )
        tokens = torch.tensor([token for append in appends for token in append.tokens], device=self._device)
        return self._decoder.hidden(self._padded(tokens), index, self._cache, self._mode)

    def _padded(self, tokens: Tensor) -> Tensor:
        """In exact mode every pass has the same number of rows, as far as it fits: see `fastedit_kernels.modes`."""
        if not self._mode.is_exact or len(tokens) > self._mode.row_buckets[-1]:
            return tokens
        return torch.nn.functional.pad(tokens, (0, self._mode.row_bucket(len(tokens)) - len(tokens)))

    def _verify(self, rows: Tensor, appends: Sequence[Append]) -> list[int]:
        kernels = load_kernels()
        counts = [append.num_rows for append in appends]
        bounds = packed_index([0] * len(counts), counts, [0] * len(counts), self._device).cu_seqlens
        drafts = torch.full((len(rows),), -1, dtype=torch.int32, device=self._device)
        verdict = kernels.verify(
            rows, self._decoder.head, drafts, bounds, sampling=self._sampling(appends), mode=self._mode
        )
        own: list[int] = verdict.token_ids.tolist()
        return own

    def _sampling(self, appends: Sequence[Append]) -> Any:
        """What `verify` samples with; None where all are greedy."""
        samplings = [append.sampling for append in appends]
        if all(sampling.is_greedy for sampling in samplings):
            return None
        positions = [
            append.length + len(append.tokens) - append.num_rows + 1 + row
            for append in appends
            for row in range(append.num_rows)
        ]

        def tensor(numbers: list[Any], dtype: torch.dtype) -> Tensor:
            return torch.tensor(numbers, dtype=dtype, device=self._device)

        return load_kernels().Sampling(
            seeds=tensor([sampling.seed for sampling in samplings], torch.int64),
            temperature=tensor([sampling.temperature for sampling in samplings], torch.float32),
            positions=tensor(positions, torch.int32),
            top_k=tensor([s.top_k for s in samplings], torch.int32) if any(s.top_k for s in samplings) else None,
            top_p=tensor([s.top_p for s in samplings], torch.float32) if any(s.top_p < 1 for s in samplings) else None,
        )

    def _replay(self, appends: Sequence[Append], bucket: Bucket) -> list[int]:
        captured = self._graphs.get(bucket) or self._capture(bucket)
        numbers = packed_inputs(appends, bucket)
        captured.staging.copy_(torch.tensor(numbers, dtype=torch.int32))
        captured.inputs.copy_(captured.staging, non_blocking=True)
        captured.graph.replay()
        own = captured.own.tolist()
        return [own[row] for row in _wanted(appends)]

    def _capture(self, bucket: Bucket) -> Captured:
        inputs = torch.zeros(bucket.tokens + 3 * bucket.requests + 1, dtype=torch.int32, device=self._device)
        self._run_static(inputs, bucket)  # compiles what has to be; with no tokens of any request it writes nothing
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._memory):
            own = self._run_static(inputs, bucket)
        self._memory = self._memory or graph.pool()
        captured = Captured(graph, inputs, torch.zeros_like(inputs, device="cpu").pin_memory(), own)
        self._graphs[bucket] = captured
        return captured

    def _run_static(self, inputs: Tensor, bucket: Bucket) -> Tensor:
        """The own token of every row, int32 [T], from inputs on the device."""
        sizes = [bucket.tokens, bucket.requests + 1, bucket.requests, bucket.requests]
        tokens, cu_seqlens, slots, lengths = torch.split(inputs, sizes)
        index = Index(cu_seqlens, slots, lengths, bucket.chunk, self._cache.slot_len)
        hidden = self._decoder.hidden(tokens, index, self._cache, self._mode)
        drafts = torch.full((bucket.tokens,), -1, dtype=torch.int32, device=self._device)
        own: Tensor = load_kernels().verify(hidden, self._decoder.head, drafts, cu_seqlens, mode=self._mode).token_ids
        return own


def packed_inputs(appends: Sequence[Append], bucket: Bucket) -> list[int]:
    """A graph's inputs: tokens, cu_seqlens, slots and lengths, each filled up to the bucket."""
    bounds = [0, *accumulate(len(append.tokens) for append in appends)]
    missing = bucket.requests - len(appends)
    return [
        *(token for append in appends for token in append.tokens), *[0] * (bucket.tokens - bounds[-1]),
        *bounds, *[bounds[-1]] * missing,
        *(append.slot for append in appends), *[0] * missing,
        *(append.length for append in appends), *[0] * missing,
    ]  # fmt: skip


def _wanted(appends: Sequence[Append]) -> list[int]:
    rows: list[int] = []
    end = 0
    for append in appends:
        end += len(append.tokens)
        rows += range(end - append.num_rows, end)
    return rows
