from __future__ import annotations

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention as reference

from fastedit.errors import SettingsError
from fastedit.training.attention import BLOCK, packed_attention

LENGTHS = (1, BLOCK + 3, 2 * BLOCK, 37)


def tensors(num_heads: int, num_kv_heads: int, num_tokens: int, head_dim: int = 16) -> list[torch.Tensor]:
    torch.manual_seed(0)
    shapes = [(1, heads, num_tokens, head_dim) for heads in (num_heads, num_kv_heads, num_kv_heads)]
    return [torch.randn(shape, requires_grad=True) for shape in shapes]


def bounds_of(lengths: tuple[int, ...]) -> torch.Tensor:
    ends = torch.tensor([0, *lengths]).cumsum(0)
    return torch.cat([ends, ends[-1:].repeat(4)])


def by_documents(query, key, value, lengths):
    groups = query.shape[1] // key.shape[1]
    key, value = (x.repeat_interleave(groups, dim=1) for x in (key, value))
    pieces, start = [], 0
    for length in lengths:
        rows = slice(start, start + length)
        pieces.append(reference(query[:, :, rows], key[:, :, rows], value[:, :, rows], is_causal=True))
        start += length
    return torch.cat(pieces, dim=2).transpose(1, 2)


@pytest.mark.parametrize("num_kv_heads", [4, 2])
def test_same_as_attention_document_by_document(num_kv_heads):
    total = sum(LENGTHS)
    own, theirs = tensors(4, num_kv_heads, total), tensors(4, num_kv_heads, total)
    out, _ = packed_attention(torch.nn.Identity(), *own, None, packed_bounds=bounds_of(LENGTHS))
    expected = by_documents(*theirs, LENGTHS)
    torch.testing.assert_close(out, expected)
    weights = torch.randn_like(expected)
    (out * weights).sum().backward()
    (expected * weights).sum().backward()
    for mine, other in zip(own, theirs, strict=True):
        torch.testing.assert_close(mine.grad, other.grad, rtol=1e-4, atol=1e-5)


def test_padding_comes_out_zero_and_gets_no_gradient():
    query, key, value = tensors(2, 2, 60)
    out, _ = packed_attention(torch.nn.Identity(), query, key, value, None, packed_bounds=bounds_of((20, 21)))
    assert out[0, 41:].eq(0).all()
    out.sum().backward()
    assert value.grad is not None
    assert value.grad[0, :, 41:].eq(0).all()
    assert value.grad[0, :, :41].ne(0).any()


def test_a_document_sees_no_other():
    query, key, value = (x.detach() for x in tensors(2, 2, 50))
    before, _ = packed_attention(torch.nn.Identity(), query, key, value, None, packed_bounds=bounds_of((25, 25)))
    key[:, :, :25] += 1.0
    value[:, :, :25] += 1.0
    after, _ = packed_attention(torch.nn.Identity(), query, key, value, None, packed_bounds=bounds_of((25, 25)))
    assert not torch.equal(before[:, :25], after[:, :25])
    assert torch.equal(before[:, 25:], after[:, 25:])


def test_refuses_to_mix_documents():
    query, key, value = tensors(2, 2, 10)
    with pytest.raises(ValueError, match="packed_bounds"):
        packed_attention(torch.nn.Identity(), query, key, value, None)


@pytest.mark.parametrize("more", [{"sliding_window": 8}, {"softcap": 30.0}, {"s_aux": torch.zeros(4)}])
def test_attention_with_more_to_it_is_refused(more):
    with pytest.raises(SettingsError, match=next(iter(more))):
        packed_attention(torch.nn.Identity(), *tensors(4, 2, 20), None, packed_bounds=bounds_of((20,)), **more)
    same = {"sliding_window": 64, "softcap": None, "is_causal": True}
    packed_attention(torch.nn.Identity(), *tensors(4, 2, 20), None, packed_bounds=bounds_of((20,)), **same)
