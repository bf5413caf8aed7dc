"""Checks of the small kernels: rope_append, append, rms_norm_residual, silu_mul."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from fastedit_kernels import gpu, reference
from fastedit_kernels.checks.common import CheckOutcome, Ragged, Setting, against_float64, equal, poisoned

# (chunks, lengths before the pass, padding, query heads, KV heads, head size, offsets)
ROPE_CASES = (
    ([5], [0], 0, 2, 1, 16, None),
    ([1], [9], 0, 3, 3, 24, None),
    ([7, 0, 1, 3], [20, 4, 0, 11], 5, 6, 2, 32, None),
    ([3, 2], [1, 130], 0, 7, 1, 64, None),
    ([3, 5, 2], [1, 30, 9], 1, 6, 2, 16, [0, 12, 5]),
)
NORM_WIDTHS = (1, 48, 300, 1024)
SILU_WIDTHS = (1, 100, 1030)


def rope_outcomes(setting: Setting) -> Iterator[CheckOutcome]:
    for number, (chunks, lengths, padding, num_heads, num_kv_heads, head_dim, offsets) in enumerate(ROPE_CASES):
        for has_norm in (False, True):
            case = f"chunks={chunks} heads={num_heads}/{num_kv_heads}x{head_dim}{' norm' * has_norm} {setting.dtype}"
            ragged = Ragged.of(setting, chunks, lengths, padding, offsets)
            yield from _rope(case, setting, number, ragged, num_heads, num_kv_heads, head_dim, has_norm)


def _rope(
    case: str,
    setting: Setting,
    number: int,
    ragged: Ragged,
    num_heads: int,
    num_kv_heads: int,
    head_dim: int,
    has_norm: bool,
) -> Iterator[CheckOutcome]:
    random = setting.generator().manual_seed(setting.seed + number)
    qkv = setting.normal(ragged.num_tokens, (num_heads + 2 * num_kv_heads) * head_dim, generator=random)
    cos, sin = rope_tables(ragged.slot_len, head_dim, setting.device)
    norms = [setting.normal(head_dim, generator=random) if has_norm else None for _ in range(2)]
    results = []
    for rope_append, dtype in (
        (gpu.rope_append, setting.dtype),
        (reference.rope_append, setting.dtype),
        (reference.rope_append, torch.float64),
    ):
        keys = torch.full((ragged.num_rows, num_kv_heads, head_dim), float("nan"), dtype=dtype, device=setting.device)
        values = keys.clone()
        query_norm, key_norm = (None if norm is None else norm.to(dtype) for norm in norms)
        with poisoned():
            query = rope_append(
                qkv.to(dtype), cos.to(torch.promote_types(dtype, torch.float32)),
                sin.to(torch.promote_types(dtype, torch.float32)), keys, values,
                ragged.cu_seqlens, ragged.slots, ragged.lengths, slot_len=ragged.slot_len, num_heads=num_heads,
                query_norm=query_norm, key_norm=key_norm, offsets=ragged.offsets,
            )  # fmt: skip
        # Padding tokens and the scratch row hold whatever they like.
        results.append((query[: ragged.num_real], keys[:-1], values[:-1]))
    names = ("queries", "keys", "values")
    for name, found, in_torch, exact in zip(names, *results, strict=True):
        yield against_float64("rope_append", f"{case} {name}", found, in_torch, exact)


def append_outcomes(setting: Setting) -> Iterator[CheckOutcome]:
    for chunks, lengths, padding, _, num_kv_heads, head_dim, offsets in ROPE_CASES:
        random = setting.generator()
        ragged = Ragged.of(setting, chunks, lengths, padding, offsets)
        shape = (ragged.num_tokens, num_kv_heads, head_dim)
        new_keys, new_values = (setting.normal(*shape, generator=random) for _ in range(2))
        index = (ragged.cu_seqlens, ragged.slots, ragged.lengths)
        results = []
        for append in (gpu.append, reference.append):
            keys, values = torch.full((2, ragged.num_rows, *shape[1:]), float("nan"), device=setting.device)
            keys, values = keys.to(setting.dtype), values.to(setting.dtype)
            append(new_keys, new_values, keys, values, *index, slot_len=ragged.slot_len, offsets=ragged.offsets)
            results.append(torch.cat((keys[:-1], values[:-1])))
        yield equal("append", f"chunks={chunks} heads={num_kv_heads}x{head_dim} {setting.dtype}", *results)


def rope_tables(num_positions: int, head_dim: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """cos and sin, float32 [num_positions, head_dim / 2], of Llama's plain rotary embedding."""
    frequencies = 10000.0 ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
    angles = torch.arange(num_positions, dtype=torch.float64)[:, None] * frequencies
    return angles.cos().float().to(device), angles.sin().float().to(device)


def norm_outcomes(setting: Setting) -> Iterator[CheckOutcome]:
    for width in NORM_WIDTHS:
        for has_residual in (False, True):
            random = setting.generator().manual_seed(setting.seed + width)
            x = setting.normal(5, width, generator=random)
            weight = setting.normal(width, generator=random)
            residual = setting.normal(5, width, generator=random) if has_residual else None
            with poisoned():
                found = gpu.rms_norm_residual(x, residual, weight, 1e-6)
            in_torch = reference.rms_norm_residual(x, residual, weight, 1e-6)
            wide = None if residual is None else residual.double()
            exact = reference.rms_norm_residual(x.double(), wide, weight.double(), 1e-6)
            for name, *three in zip(("normed", "sum"), found, in_torch, exact, strict=True):
                case = f"width={width}{' residual' * has_residual} {setting.dtype} {name}"
                yield against_float64("rms_norm_residual", case, *three)


def silu_outcomes(setting: Setting) -> Iterator[CheckOutcome]:
    for width in SILU_WIDTHS:
        gate_up = setting.normal(3, 2 * width, generator=setting.generator()) * 4
        gate_up[0, 0], gate_up[1, 0] = 80.0, -80.0  # exp must not overflow into NaN
        with poisoned():
            found = gpu.silu_mul(gate_up)
        in_torch, exact = reference.silu_mul(gate_up), reference.silu_mul(gate_up.double())
        yield against_float64("silu_mul", f"width={width} {setting.dtype}", found, in_torch, exact)
