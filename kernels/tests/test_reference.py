"""The references against the plain expressions that they stand for."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from fastedit_kernels import reference
from fastedit_kernels.filters import kept_tokens
from fastedit_kernels.layout import token_positions, token_requests, token_rows
from fastedit_kernels.verdict import Sampling

CU = torch.tensor([0, 3, 3, 5], dtype=torch.int32)
SLOTS = torch.tensor([2, 0, 1], dtype=torch.int32)
LENGTHS = torch.tensor([4, 9, 0], dtype=torch.int32)


def test_layout_of_ragged_tokens() -> None:
    assert token_requests(CU, 7).tolist() == [0, 0, 0, 2, 2, 3, 3]
    assert token_positions(CU, LENGTHS, 7).tolist() == [4, 5, 6, 0, 1, 0, 0]
    assert token_rows(CU, SLOTS, LENGTHS, 7, 10, 31).tolist() == [24, 25, 26, 10, 11, 30, 30]


def test_rope_append_then_attention_is_plain_attention() -> None:
    """A request fed in two chunks sees what causal attention over all of it sees."""
    generator = torch.Generator().manual_seed(0)
    num_heads, num_kv_heads, head_dim, total = 4, 2, 8, 7
    qkv = torch.randn(total, (num_heads + 2 * num_kv_heads) * head_dim, generator=generator)
    angles = torch.arange(16)[:, None] * 0.1 * torch.arange(1, head_dim // 2 + 1)
    keys, values = torch.full((2, 33, num_kv_heads, head_dim), float("nan"))
    pieces = []
    for start, end in ((0, 4), (4, 7)):
        index = (torch.tensor(v, dtype=torch.int32) for v in ([0, end - start], [1], [start]))
        cu, slots, lengths = index
        args = (keys, values, cu, slots, lengths)
        query = reference.rope_append(
            qkv[start:end], angles.cos(), angles.sin(), *args, slot_len=16, num_heads=num_heads
        )
        pieces.append(reference.chunk_attention(query, *args, slot_len=16, max_chunk=4, scale=0.3))
    heads = qkv.view(total, -1, head_dim).transpose(0, 1)
    query, key = (rotated(x, angles[:total]) for x in (heads[:num_heads], heads[num_heads : num_heads + num_kv_heads]))
    value = heads[num_heads + num_kv_heads :]
    expected = functional.scaled_dot_product_attention(
        query[None], key[None], value[None], is_causal=True, scale=0.3, enable_gqa=True
    )
    assert torch.allclose(torch.cat(pieces), expected[0].transpose(0, 1), atol=1e-5)


def rotated(x: Tensor, angles: Tensor) -> Tensor:
    """As a product of complex numbers, pairs half a head apart."""
    low, high = x.chunk(2, dim=-1)
    turned = torch.complex(low, high) * torch.polar(torch.ones_like(angles), angles)
    return torch.cat((turned.real, turned.imag), dim=-1)


def test_verify_by_hand() -> None:
    logits = torch.tensor([[0.0, 3.0, 3.0, 9.0], [5.0, 1.0, 0.0, 9.0], [0.0, 0.0, 1.0, 9.0], [1.0, 2.0, 0.0, 9.0]])
    drafts = torch.tensor([1, 0, 1, -1], dtype=torch.int32)
    cu_rows = torch.tensor([0, 3, 3, 4], dtype=torch.int32)
    verdict = reference.verify(logits, torch.eye(4), drafts, cu_rows, vocab_size=3, need_logprobs=True)
    assert verdict.token_ids.tolist() == [1, 0, 2, 1]  # token 3 is padding, and the tie goes to the lower id
    assert verdict.num_accepted.tolist() == [2, 0, 0]
    assert verdict.token_logits is not None
    assert verdict.draft_logits is not None
    assert verdict.token_logits.tolist() == [3.0, 5.0, 1.0, 2.0]
    assert verdict.draft_logits.tolist()[:3] == [3.0, 5.0, 0.0]
    assert verdict.draft_logits[3].isnan()
    assert verdict.logsumexp is not None
    assert torch.allclose(verdict.logsumexp, logits[:, :3].logsumexp(-1))


def test_verify_accepts_all_rows_of_a_draft_without_a_bonus_row() -> None:
    cu_rows = torch.tensor([0, 2], dtype=torch.int32)
    verdict = reference.verify(torch.eye(2), torch.eye(2), torch.tensor([0, 1], dtype=torch.int32), cu_rows)
    assert verdict.num_accepted.tolist() == [2]


@pytest.mark.parametrize("bad", [float("nan"), float("-inf")])
def test_verify_says_where_the_target_is_broken(bad: float) -> None:
    hidden = torch.tensor([[bad], [1.0]])
    cu_rows = torch.tensor([0, 2], dtype=torch.int32)
    verdict = reference.verify(hidden, torch.tensor([[1.0], [2.0]]), torch.tensor([0, 1], dtype=torch.int32), cu_rows)
    assert verdict.token_ids.tolist() == [-1, 1]
    assert verdict.num_accepted.tolist() == [0]


def test_half_precision_is_summed_in_float32() -> None:
    hidden, lm_head = torch.ones(1, 3000, dtype=torch.bfloat16), torch.ones(2, 3000, dtype=torch.bfloat16)
    lm_head[1, 0] = 2  # 3001 and 3000 are one number in bfloat16
    cu_rows = torch.tensor([0, 1], dtype=torch.int32)
    assert reference.verify(hidden, lm_head, torch.zeros(1, dtype=torch.int32), cu_rows).token_ids.tolist() == [1]


def brute_force_kept(probabilities: list[float], top_k: int, top_p: float) -> list[bool]:
    order = sorted(range(len(probabilities)), key=lambda token: (-probabilities[token], token))
    order = order[: top_k or None]
    total, reached, kept = sum(probabilities[token] for token in order), 0.0, set()
    for token in order:
        if reached / total >= top_p and kept and top_p < 1:
            break
        kept.add(token)
        reached += probabilities[token]
    return [token in kept for token in range(len(probabilities))]


@pytest.mark.parametrize(("top_k", "top_p"), [(0, 1.0), (1, 1.0), (3, 1.0), (0, 0.55), (4, 0.9), (2, 0.01), (99, 0.7)])
def test_filters_keep_what_brute_force_keeps(top_k: int, top_p: float) -> None:
    probabilities = [0.1, 0.3, 0.05, 0.3, 0.05, 0.2]
    kept = kept_tokens(torch.tensor([probabilities]).log(), torch.tensor([top_k]), torch.tensor([top_p]))
    assert kept[0].tolist() == brute_force_kept(probabilities, top_k, top_p)


def test_filtered_samples_follow_the_filtered_softmax() -> None:
    num_rows, logits = 8000, torch.tensor([1.0, 2.0, 0.0, 2.5])
    sampling = Sampling(
        torch.tensor([3]), torch.tensor([1.0]), torch.arange(num_rows, dtype=torch.int32), top_k=torch.tensor([2])
    )
    cu_rows = torch.tensor([0, num_rows], dtype=torch.int32)
    drafts = torch.full((num_rows,), -1, dtype=torch.int32)
    drawn = reference.verify(torch.ones(num_rows, 1), logits[:, None], drafts, cu_rows, sampling=sampling).token_ids
    counts = torch.bincount(drawn, minlength=4)
    assert counts[0] == counts[2] == 0
    assert counts[3] / num_rows == pytest.approx(float(torch.tensor([2.0, 2.5]).softmax(-1)[1]), abs=0.02)


def test_rms_norm_and_silu_are_torch_s_own() -> None:
    x, residual, weight = torch.randn(3, 4, 16, generator=torch.Generator().manual_seed(0))
    normed, total = reference.rms_norm_residual(x, residual, weight[0], 1e-5)
    assert torch.equal(total, x + residual)
    assert torch.allclose(normed, functional.rms_norm(x + residual, (16,), weight[0], 1e-5), atol=1e-6)
    assert torch.allclose(reference.silu_mul(torch.cat((x, residual), dim=1)), functional.silu(x) * residual)
