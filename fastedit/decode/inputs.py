"""All that a pass needs besides weights and cache, as one tensor: one copy to the device, whatever is in the pass."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor

from fastedit.decode.passes import Append, wanted_rows
from fastedit.decode.verify import draft_ids

ALIGNMENT = 4  # words: Triton compiles a kernel once more for pointers that aren't at a multiple of 16 bytes


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
