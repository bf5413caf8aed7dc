"""Passes of a fused decoder, captured as CUDA graphs for the widths that decoding uses.

A pass of 100 tokens launches some 300 kernels; a graph launches them as one. Everything that varies between passes
(tokens, slots, lengths, drafts, seeds) is data on the device, so one graph for each bucket of requests and tokens
serves every context length. Comparing the drafts with the target's own tokens is part of the graph: what comes back is
how many of each are accepted and what follows. Graphs are captured when first needed, those of one request when the
engine measures its costs. What no bucket holds (prefill, requests of several slots, top-k and top-p) runs the same
operations without a graph.

All that a pass needs besides weights and cache is one tensor: one copy to the device, whatever is in the pass.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor

from fastedit.decode.cache import KVSlots
from fastedit.decode.devices import load_kernels, on_device
from fastedit.decode.fused import FusedDecoder, Index
from fastedit.decode.passes import Append, Verdict, wanted_rows
from fastedit.decode.probe import Traits, difference
from fastedit.decode.runner import SlotRunner
from fastedit.decode.verify import draft_ids, packed_verdicts, read_verdicts

REQUEST_BUCKETS = (1, 2, 4, 8, 16, 32)
TOKEN_BUCKETS = (1, 16, 32, 64, 128, 192, 256, 512)
SHORTEST_CHUNK = 16
SHARES_OF_LONG_CHUNK = 2  # a chunk of up to twice a fair share is a short one
ALIGNMENT = 4  # words: Triton compiles a kernel once more for pointers that aren't at a multiple of 16 bytes


@dataclass(frozen=True, slots=True)
class Wanted:
    """The work of a pass besides greedy choices: sample for some requests, with top-k or top-p, give logprobs."""

    samples: bool = False
    filters: bool = False
    logprobs: bool = False

    @classmethod
    def of(cls, appends: Sequence[Append]) -> Wanted:
        sampled = [append.sampling for append in appends if not append.sampling.is_greedy]
        return cls(
            samples=bool(sampled),
            filters=any(sampling.top_k or sampling.top_p < 1 for sampling in sampled),
            logprobs=any(append.needs_logprobs for append in appends),
        )


@dataclass(frozen=True, slots=True)
class Bucket:
    """Limits of one graph's passes: so many requests, so many tokens in all, and so many tokens of one request."""

    requests: int
    tokens: int
    chunk: int
    wanted: Wanted = Wanted()

    @property
    def layout(self) -> Layout:
        return Layout(self.requests, self.tokens, self.tokens)


def bucket_for(counts: Sequence[int], token_buckets: Sequence[int] = TOKEN_BUCKETS, num_rows: int = 0) -> Bucket | None:
    """The smallest bucket for a pass that feeds `counts[i]` tokens of request i; None where there is none.

    num_rows: verdicts wanted, which may be more where there are branches.

    The attention kernel's grid covers the longest chunk of every request. Among many requests chunks are short as a
    rule, so there is a bucket for that, too: a grid for the rare long one would be mostly empty.
    """
    requests, tokens = _fitting(len(counts), REQUEST_BUCKETS), _fitting(max(sum(counts), num_rows), token_buckets)
    if requests is None or tokens is None:
        return None
    short = max(SHORTEST_CHUNK, SHARES_OF_LONG_CHUNK * tokens // requests)
    return Bucket(requests, tokens, short if max(counts) <= short < tokens else tokens)


def _fitting(number: int, buckets: Sequence[int]) -> int | None:
    return next((bucket for bucket in buckets if number <= bucket), None)


@dataclass(frozen=True, slots=True)
class Captured:
    """A graph with its inputs, see `decode.inputs`: on the device, and pinned on the host; and its packed verdicts."""

    graph: torch.cuda.CUDAGraph
    inputs: Tensor
    staging: Tensor
    verdicts: Tensor


class FusedRunner(SlotRunner):
    """Runs passes of a fused decoder over its own slots; see `decode.runner.Runner`."""

    def __init__(
        self, decoder: FusedDecoder, num_slots: int, slot_len: int, *, is_exact: bool = False, use_graphs: bool = True
    ) -> None:
        super().__init__(KVSlots(decoder.cache_shape, num_slots, slot_len, decoder.embedding.device))
        self._decoder = decoder
        self._mode = load_kernels().EXACT if is_exact else load_kernels().FAST
        self._use_graphs = use_graphs and self._device.type == "cuda"
        # Exact passes all have one width.
        self._token_buckets = tuple(self._mode.row_buckets) if is_exact else TOKEN_BUCKETS
        self._graphs: dict[Bucket, Captured] = {}
        self._memory: Any = None  # one pool for all graphs: they never run at once

    @property
    def max_len(self) -> int:
        return min(self.num_slots * self.slot_len, len(self._decoder.cos))

    @property
    def step_widths(self) -> tuple[int, ...]:
        """Widths between which a pass costs what the next one does; empty without graphs."""
        return self._token_buckets if self._use_graphs else ()

    @torch.inference_mode()
    def append(self, appends: Sequence[Append]) -> list[Verdict | None]:
        bucket = self._bucket(appends)
        with on_device(self._device):
            return self._replay(appends, bucket) if bucket else self._eager(appends)

    @torch.inference_mode()
    def difference(self, traits: Traits) -> float:
        """By how much of their size its logits miss the model's own; see `probe.difference`."""

        def hidden_of(parts: Sequence[tuple[int, int, list[int]]]) -> Tensor:
            appends = [Append(*part, num_rows=0) for part in parts]
            _, hidden = self._hidden(appends)
            return hidden[: sum(len(append.tokens) for append in appends)]

        def logits_of(hidden: Tensor) -> Tensor:
            return torch.nn.functional.linear(hidden, self._decoder.head)

        return difference(traits, hidden_of, logits_of, self.num_slots, self.slot_len)

    def _bucket(self, appends: Sequence[Append]) -> Bucket | None:
        wanted = Wanted.of(appends)
        # A graph's attention covers one slot of each request.
        fit_slots = all(append.end <= self.slot_len for append in appends)
        if not self._use_graphs or wanted.filters or not fit_slots:
            return None
        bucket = bucket_for(
            [len(append.tokens) for append in appends],
            self._token_buckets,
            sum(append.num_rows for append in appends),
        )
        return replace(bucket, wanted=wanted) if bucket else None

    def _eager(self, appends: Sequence[Append]) -> list[Verdict | None]:
        """The verdicts without a graph: nothing is filled up but what exact mode fills up."""
        inputs, hidden = self._hidden(appends)
        num_rows = len(inputs.rows)
        if not num_rows:
            return [None] * len(appends)
        return read_verdicts(self._verified(hidden, inputs, Wanted.of(appends)), appends, len(appends), num_rows)

    def _hidden(self, appends: Sequence[Append]) -> tuple[Inputs, Tensor]:
        """A pass's inputs, and the last hidden states of all its packed tokens, after the final norm: [T, D]."""
        counts = [len(append.tokens) for append in appends]
        layout = Layout(len(appends), self._width(sum(counts)), sum(append.num_rows for append in appends))
        inputs = Inputs.of(packed_inputs(appends, layout).to(self._device), layout)
        longest = max(append.length + count for append, count in zip(appends, counts, strict=True))
        index = Index(inputs.cu_seqlens, inputs.slots, inputs.lengths, inputs.offsets, max(counts), longest)
        return inputs, self._decoder.hidden(inputs.tokens, index, self._cache, self._mode)

    def _width(self, num_tokens: int) -> int:
        """In exact mode every pass has the same number of tokens, as far as they fit: see `fastedit_kernels.modes`."""
        if not self._mode.is_exact or num_tokens > self._mode.row_buckets[-1]:
            return num_tokens
        return int(self._mode.row_bucket(num_tokens))

    def _verified(self, hidden: Tensor, inputs: Inputs, wanted: Wanted) -> Tensor:
        """The packed verdicts on the drafts among the inputs, from the hidden states [T, D] of all tokens."""
        kernels = load_kernels()
        sampling = None
        if wanted.samples:
            filters = (inputs.top_k, inputs.top_p) if wanted.filters else ()
            sampling = kernels.Sampling(inputs.seeds, inputs.temperature, inputs.positions, *filters)
        verdict = kernels.verify(
            hidden.index_select(0, inputs.rows), self._decoder.head, inputs.draft_ids, inputs.cu_rows,
            sampling=sampling, need_logprobs=wanted.logprobs, mode=self._mode,
        )  # fmt: skip
        logprobs = None
        if wanted.logprobs:
            logprobs = torch.stack((verdict.token_logits, verdict.draft_logits)) - verdict.logsumexp
        return packed_verdicts(verdict.token_ids, verdict.num_accepted, inputs.cu_rows, logprobs)

    def _replay(self, appends: Sequence[Append], bucket: Bucket) -> list[Verdict | None]:
        captured = self._graphs.get(bucket) or self._capture(bucket)
        captured.staging.copy_(packed_inputs(appends, bucket.layout))
        captured.inputs.copy_(captured.staging, non_blocking=True)
        captured.graph.replay()
        return read_verdicts(captured.verdicts, appends, bucket.requests, bucket.tokens)

    def _capture(self, bucket: Bucket) -> Captured:
        inputs = torch.zeros(sum(bucket.layout.widths), dtype=torch.int32, device=self._device)
        self._run_static(inputs, bucket)  # compiles what has to be; with no tokens of any request it writes nothing
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._memory):
            verdicts = self._run_static(inputs, bucket)
        self._memory = self._memory or graph.pool()
        captured = Captured(graph, inputs, torch.zeros_like(inputs, device="cpu").pin_memory(), verdicts)
        self._graphs[bucket] = captured
        return captured

    def _run_static(self, words: Tensor, bucket: Bucket) -> Tensor:
        """The packed verdicts, from inputs on the device; no shape and no launch depends on what the inputs say."""
        inputs = Inputs.of(words, bucket.layout)
        index = Index(
            inputs.cu_seqlens, inputs.slots, inputs.lengths, inputs.offsets, bucket.chunk, self._cache.slot_len
        )
        hidden = self._decoder.hidden(inputs.tokens, index, self._cache, self._mode)
        return self._verified(hidden, inputs, bucket.wanted)


# ---- what a pass needs, as one tensor --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Layout:
    """Room in the inputs: N requests, T packed tokens, and R rows that predict something."""

    requests: int
    tokens: int
    rows: int

    @property
    def widths(self) -> list[int]:
        """Words of each part, in the order of `Inputs`."""
        requests, bounds = self.requests, self.requests + 1
        exact = [2 * requests, *[requests] * 3, bounds, *[requests] * 3, bounds, self.tokens]
        return [-(-width // ALIGNMENT) * ALIGNMENT for width in (*exact, self.rows, self.rows, self.rows)]


@dataclass(frozen=True, slots=True)
class Inputs:
    """Views of one int32 tensor on the device, their numbers int32 where nothing is said.

    seeds: int64 [N]. temperature: float32 [N], 0 for greedy. top_p: float32 [N]. top_k: [N].
    cu_seqlens [N + 1], slots [N], lengths [N], offsets [N], tokens [T]: where packed tokens go, see
    `fastedit_kernels.layout`.
    cu_rows: [N + 1], request i has the rows cu_rows[i] .. cu_rows[i + 1]. rows: [R], the packed token of each.
    draft_ids: [R], the token that each is compared with. positions: [R], of the token that each predicts.
    """

    seeds: Tensor
    temperature: Tensor
    top_p: Tensor
    top_k: Tensor
    cu_seqlens: Tensor
    slots: Tensor
    lengths: Tensor
    offsets: Tensor
    cu_rows: Tensor
    tokens: Tensor
    rows: Tensor
    draft_ids: Tensor
    positions: Tensor

    @classmethod
    def of(cls, words: Tensor, layout: Layout) -> Inputs:
        seeds, temperature, top_p, top_k, cu_seqlens, slots, lengths, offsets, cu_rows, *of_tokens = torch.split(
            words, layout.widths
        )
        requests, bounds = layout.requests, layout.requests + 1
        tokens, rows, drafts, positions = of_tokens
        return cls(
            seeds.view(torch.int64)[:requests],
            temperature.view(torch.float32)[:requests],
            top_p.view(torch.float32)[:requests],
            top_k[:requests],
            cu_seqlens[:bounds],
            slots[:requests],
            lengths[:requests],
            offsets[:requests],
            cu_rows[:bounds],
            tokens[: layout.tokens],
            rows[: layout.rows],
            drafts[: layout.rows],
            positions[: layout.rows],
        )


def packed_inputs(appends: Sequence[Append], layout: Layout) -> Tensor:
    """The words that `Inputs.of` takes apart, int32 on the host. What the appends don't fill is no request's."""
    samplings = [append.sampling for append in appends]
    missing = layout.requests - len(appends)
    bounds, row_bounds = (
        [0, *accumulate(counts)]
        for counts in ([len(append.tokens) for append in appends], [append.num_rows for append in appends])
    )
    parts: list[Sequence[int]] = [
        _words("q", [sampling.seed for sampling in samplings]),
        _words("f", [0.0 if sampling.is_greedy else sampling.temperature for sampling in samplings]),
        _words("f", [sampling.top_p for sampling in samplings]),
        [sampling.top_k for sampling in samplings],
        bounds + bounds[-1:] * missing,
        [append.slot for append in appends],
        [append.length for append in appends],
        [append.offset for append in appends],
        row_bounds + row_bounds[-1:] * missing,
        [token for append in appends for token in append.tokens],
        wanted_rows(appends),
        draft_ids(appends),
        [append.first_position + row for append in appends for row in range(append.num_rows)],
    ]
    words: list[int] = []
    for part, width in zip(parts, layout.widths, strict=True):
        words += part
        words += [0] * (width - len(part))
    return torch.tensor(words, dtype=torch.int32)


def _words(kind: str, numbers: Sequence[float]) -> list[int]:
    """Numbers of a `struct` kind as the int32 words that hold their bits."""
    data = struct.pack(f"={len(numbers)}{kind}", *numbers)
    return list(struct.unpack(f"={len(data) // 4}i", data))
