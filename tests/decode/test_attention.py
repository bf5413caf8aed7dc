from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from fastedit.decode import attention
from fastedit.decode.attention import SHORT_CHUNK, causal_attention


def expected(query, keys, values, scale, window, dtype=torch.float64):
    """Torch's own attention with an explicit mask; [K, Hq, D]."""
    num_queries, num_keys = len(query), len(keys)
    behind = (torch.arange(num_queries)[:, None] + num_keys - num_queries) - torch.arange(num_keys)[None, :]
    visible = behind >= 0 if window is None else (behind >= 0) & (behind < window)
    q, k, v = (tensor.transpose(0, 1)[None].to(dtype) for tensor in (query, keys, values))
    out = functional.scaled_dot_product_attention(q, k, v, attn_mask=visible, scale=scale, enable_gqa=True)
    return out[0].transpose(0, 1)


@pytest.mark.parametrize("window", [None, 1, 5, 130])
@pytest.mark.parametrize(
    ("num_queries", "num_keys"), [(1, 1), (1, 77), (2, 2), (7, 7), (128, 128), (129, 300), (257, 257), (31, 513)]
)
@pytest.mark.parametrize(("heads", "kv_heads"), [(4, 4), (6, 2), (5, 1)])
def test_equals_masked_attention(num_queries, num_keys, heads, kv_heads, window):
    torch.manual_seed(num_queries * num_keys + heads)
    query = torch.randn(num_queries, heads, 16)
    keys, values = torch.randn(2, num_keys, kv_heads, 16)
    out = causal_attention(query, keys, values, 0.3, window)
    assert (out - expected(query, keys, values, 0.3, window)).abs().max() < 3e-6


@pytest.mark.parametrize("num_queries", [64, 200])
def test_half_precision_is_no_worse_than_torch(num_queries):
    torch.manual_seed(0)
    query = torch.randn(num_queries, 4, 32).bfloat16()
    keys, values = torch.randn(2, 500, 2, 32).bfloat16()
    exact = expected(query, keys, values, 0.2, None)
    ours = (causal_attention(query, keys, values, 0.2) - exact).abs()
    theirs = (expected(query, keys, values, 0.2, None, torch.bfloat16) - exact).abs()
    assert ours.max() <= 2 * theirs.max()
    assert ours.mean() <= 1.2 * theirs.mean()


def test_few_scores_are_held_at_once(monkeypatch):
    torch.manual_seed(0)
    query = torch.randn(SHORT_CHUNK + 1, 4, 16)
    keys, values = torch.randn(2, 200, 2, 16)
    whole = causal_attention(query, keys, values, 0.25)
    largest = 0
    plain_bmm = torch.bmm

    def bmm(one, other):
        nonlocal largest
        product = plain_bmm(one, other)
        largest = max(largest, product.numel())
        return product

    monkeypatch.setattr(attention, "SCORES_AT_ONCE", 4 * 200 * 3)
    monkeypatch.setattr(torch, "bmm", bmm)
    assert (causal_attention(query, keys, values, 0.25) - whole).abs().max() < 1e-6
    assert 0 < largest <= 4 * 200 * 3


def test_values_behind_a_length_are_never_read():
    keys, values = torch.randn(2, 30, 1, 8)
    query = torch.randn(5, 2, 8)
    whole = causal_attention(query, keys[:20], values[:20], 1.0)
    keys[20:], values[20:] = float("nan"), float("nan")
    assert torch.equal(causal_attention(query, keys[:20], values[:20], 1.0), whole)
