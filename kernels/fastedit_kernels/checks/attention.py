"""Checks of chunk_attention: against float64, and that a row's result depends on its own keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from fastedit_kernels import gpu, reference
from fastedit_kernels.checks.common import CheckOutcome, Ragged, Setting, against_float64, equal, poisoned
from fastedit_kernels.modes import EXACT, FAST, Mode


@dataclass(frozen=True, slots=True)
class AttentionCase:
    chunks: list[int]
    lengths: list[int]
    padding: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    window: int | None = None
    offsets: list[int] | None = None


SHORT_SPLITS = Mode("short splits", (128,), is_exact=True, keys_per_split=64)
MODES = (EXACT, FAST, SHORT_SPLITS)

SMALL = (
    AttentionCase([1], [0], 0, 1, 1, 16),
    AttentionCase([1], [129], 0, 4, 2, 16),
    AttentionCase([20, 33, 1], [130, 0, 199], 3, 4, 2, 32),
    AttentionCase([9, 0, 2], [63, 10, 64], 0, 7, 1, 24),
    AttentionCase([40, 5], [100, 70], 1, 6, 3, 16, window=37),
    AttentionCase([3], [50], 0, 2, 2, 160),
    AttentionCase([3, 3, 3, 2], [61, 62, 63, 127], 0, 2, 2, 16),
    AttentionCase([20, 7, 1], [130, 70, 199], 3, 4, 2, 32, offsets=[0, 25, 9]),
    AttentionCase([9, 5], [100, 63], 0, 6, 3, 16, window=37, offsets=[4, 70]),
)


def outcomes(setting: Setting, cases: tuple[AttentionCase, ...] = SMALL) -> Iterator[CheckOutcome]:
    for number, case in enumerate(cases):
        inputs = AttentionInputs.of(setting, case, number)
        in_torch, exact = inputs.run_reference(setting.dtype), inputs.run_reference(torch.float64)
        for mode in MODES:
            found = inputs.run_kernel(mode)
            yield against_float64("chunk_attention", f"{case} {mode.name} {setting.dtype}", found, in_torch, exact)


def invariance_outcomes(setting: Setting) -> Iterator[CheckOutcome]:
    """In exact mode a token's row has the same bits: in one chunk, in three, or with batch mates beside it."""
    length, chunk = 130, 24
    case = AttentionCase([chunk], [length], 0, 6, 2, 32)
    whole = AttentionInputs.of(setting, case, 0)
    expected = whole.run_kernel(SHORT_SPLITS)
    pieces = []
    for start, end in ((0, 1), (1, chunk // 2), (chunk // 2, chunk)):
        piece = whole.piece(setting, start, end, length)
        pieces.append(piece.run_kernel(SHORT_SPLITS))
    yield equal("chunk_attention", f"one chunk or three {setting.dtype}", torch.cat(pieces), expected)
    mates = whole.beside(setting, AttentionInputs.of(setting, AttentionCase([3], [70], 0, 6, 2, 32), 1))
    found = mates.run_kernel(SHORT_SPLITS)[3:]
    yield equal("chunk_attention", f"alone or with a batch mate {setting.dtype}", found, expected)


@dataclass(frozen=True, slots=True)
class AttentionInputs:
    """One call's inputs. Cache rows that hold no token are NaN: reading one shows."""

    query: Tensor
    keys: Tensor
    values: Tensor
    ragged: Ragged
    window: int | None

    @classmethod
    def of(cls, setting: Setting, case: AttentionCase, number: int) -> AttentionInputs:
        random = setting.generator().manual_seed(setting.seed + number)
        ragged = Ragged.of(setting, case.chunks, case.lengths, case.padding, case.offsets)
        query = setting.normal(ragged.num_tokens, case.num_heads, case.head_dim, generator=random)
        shape = (ragged.num_rows, case.num_kv_heads, case.head_dim)
        keys = torch.full(shape, float("nan"), dtype=setting.dtype, device=setting.device)
        values = keys.clone()
        offsets = case.offsets or [0] * len(case.chunks)
        for slot, length, chunk, offset in zip(ragged.slots.tolist(), case.lengths, case.chunks, offsets, strict=True):
            first = slot * ragged.slot_len
            for start, count in ((first, length), (first + length + offset, chunk)):
                keys[start : start + count] = setting.normal(count, *shape[1:], generator=random)
                values[start : start + count] = setting.normal(count, *shape[1:], generator=random)
        return cls(query, keys, values, ragged, case.window)

    def piece(self, setting: Setting, start: int, end: int, length: int) -> AttentionInputs:
        """Tokens start .. end of the only request, as a chunk of their own."""
        ragged = self.ragged
        index = setting.index
        part = Ragged(
            index([0, end - start]), ragged.slots, index([length + start]), ragged.slot_len, end - start, end - start
        )
        return AttentionInputs(self.query[start:end], self.keys, self.values, part, self.window)

    def beside(self, setting: Setting, mate: AttentionInputs) -> AttentionInputs:
        """This request behind a mate, in one batch; slots as long as this one's."""
        slot_len, index = self.ragged.slot_len, setting.index
        keys = torch.cat((mate.keys[:-1], torch.full_like(self.keys, float("nan"))[: slot_len - mate.ragged.slot_len]))
        values = torch.cat((mate.values[:-1], torch.full_like(keys, float("nan"))[len(mate.values) - 1 :]))
        chunk, mate_chunk = self.ragged.num_tokens, mate.ragged.num_tokens
        both = Ragged(
            index([0, mate_chunk, mate_chunk + chunk]), index([0, 1]),
            torch.cat((mate.ragged.lengths, self.ragged.lengths)), slot_len, mate_chunk + chunk, max(chunk, mate_chunk),
        )  # fmt: skip
        query = torch.cat((mate.query, self.query))
        return AttentionInputs(query, torch.cat((keys, self.keys)), torch.cat((values, self.values)), both, self.window)

    def run_kernel(self, mode: Mode) -> Tensor:
        ragged = self.ragged
        with poisoned():
            return gpu.chunk_attention(
                self.query.contiguous(), self.keys, self.values, ragged.cu_seqlens, ragged.slots, ragged.lengths,
                slot_len=ragged.slot_len, max_chunk=ragged.max_chunk, scale=self.query.shape[-1] ** -0.5,
                window=self.window, offsets=ragged.offsets, mode=mode,
            )  # fmt: skip

    def run_reference(self, dtype: torch.dtype) -> Tensor:
        ragged = self.ragged
        return reference.chunk_attention(
            self.query.to(dtype), self.keys.to(dtype), self.values.to(dtype), ragged.cu_seqlens, ragged.slots,
            ragged.lengths, slot_len=ragged.slot_len, max_chunk=ragged.max_chunk, scale=self.query.shape[-1] ** -0.5,
            window=self.window, offsets=ragged.offsets,
        )  # fmt: skip
