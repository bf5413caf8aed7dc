"""The kernels below torch's variable-length attention, in plain operations, so that its callers run without a GPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor

NOTHING = torch.empty(0)


def put_in_place(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What each forward call was given besides the tensors, as the calls come.

    As on a GPU, results are not a number where no sequence lies.
    """
    calls: list[dict[str, Any]] = []

    def forward(query, key, value, bounds, key_bounds, longest, longest_key, *rest, **named):
        checked(query, key, value, bounds, key_bounds, longest, longest_key)
        calls.append({"bounds": bounds.tolist(), "longest": longest, "is_causal": rest[1], **named})
        return by_sequence(query, key, value, bounds, named["scale"]), NOTHING, NOTHING, NOTHING, NOTHING

    def backward(gradient, query, key, value, out, sums, bounds, key_bounds, longest, longest_key, *rest, **named):
        checked(query, key, value, bounds, key_bounds, longest, longest_key)
        found = [torch.full_like(x, float("nan")) for x in (query, key, value)]
        for a, b in spans(bounds):
            q, k, v, g = (x[a:b].transpose(0, 1) for x in (query, key, value, gradient))
            weights = attention_weights(q, k, named["scale"])
            d_weights = g @ v.transpose(1, 2)
            d_scores = weights * (d_weights - (d_weights * weights).sum(-1, keepdim=True)) * named["scale"]
            parts = d_scores @ k, d_scores.transpose(1, 2) @ q, weights.transpose(1, 2) @ g
            for whole, part in zip(found, parts, strict=True):
                whole[a:b] = part.transpose(0, 1)
        return tuple(found)

    for name, function in (("_flash_attention_forward", forward), ("_flash_attention_backward", backward)):
        monkeypatch.setattr(torch.ops.aten, name, InPlaceOf(getattr(torch.ops.aten, name), function))
    return calls


class InPlaceOf:
    """An operator that does what a function does; compilers ask it for its overloads."""

    def __init__(self, operator: Any, function: Callable[..., Any]) -> None:
        self._operator, self._function = operator, function

    def __call__(self, *given: Any, **named: Any) -> Any:
        return self._function(*given, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._operator, name)


def checked(query: Tensor, key: Tensor, value: Tensor, bounds: Tensor, key_bounds: Tensor, *longest: int) -> None:
    """What the real ones ask for: anything else they misread or refuse."""
    assert query.shape == key.shape == value.shape
    assert all(x.ndim == 3 and x.stride(-1) == 1 for x in (query, key, value))
    assert bounds.dtype == key_bounds.dtype == torch.int32
    assert torch.equal(bounds, key_bounds)
    assert max(b - a for a, b in spans(bounds)) <= min(longest)
    assert 0 == bounds[0] <= bounds[-1] <= len(query)


def by_sequence(query: Tensor, key: Tensor, value: Tensor, bounds: Tensor, scale: float) -> Tensor:
    out = torch.full_like(query, float("nan"))
    for a, b in spans(bounds):
        q, k, v = (x[a:b].transpose(0, 1) for x in (query, key, value))
        out[a:b] = (attention_weights(q, k, scale) @ v).transpose(0, 1)
    return out


def attention_weights(query: Tensor, key: Tensor, scale: float) -> Tensor:
    scores = query @ key.transpose(1, 2) * scale
    return scores.masked_fill(torch.ones_like(scores).triu(1).bool(), float("-inf")).softmax(-1)


def spans(bounds: Tensor) -> Iterator[tuple[int, int]]:
    return ((a, b) for a, b in pairwise(bounds.tolist()) if b > a)
