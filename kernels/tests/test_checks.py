"""The checks themselves can fail: each is shown a kernel that is wrong in one way."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from fastedit_kernels import gpu
from fastedit_kernels.checks import attention, small, verify
from fastedit_kernels.checks.common import Setting, equal, poisoned, relative_error

SETTING = Setting(torch.device("cpu"), torch.float32, seed=5)


def test_poison_shows_what_was_not_written() -> None:
    with poisoned():
        assert torch.empty(3).isnan().all()
        assert (torch.empty_like(torch.ones(3, dtype=torch.int32)) == 0x5A5A5A5A).all()


def test_relative_error_minds_nan() -> None:
    assert relative_error(torch.tensor([1.0, float("nan")]), torch.tensor([1.0, 2.0])) == float("inf")
    assert relative_error(torch.tensor([1.1]), torch.tensor([1.0])) == pytest.approx(0.1, rel=1e-5)


def test_equal_counts_differences() -> None:
    assert equal("k", "c", torch.tensor([1, 2]), torch.tensor([1, 3])).problem == "1 of 2 entries differ"


def test_attention_that_reads_a_stale_key_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = gpu.chunk_attention

    def wrong(query: Tensor, keys: Tensor, values: Tensor, cu: Tensor, slots: Tensor, lengths: Tensor, **rest: object):
        return right(query, keys, values, cu, slots, lengths + 1, **rest)

    monkeypatch.setattr(gpu, "chunk_attention", wrong)
    assert all(outcome.problem for outcome in attention.outcomes(SETTING, attention.SMALL[2:3]))


def test_verify_that_breaks_ties_upwards_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = gpu.verify

    def wrong(hidden: Tensor, lm_head: Tensor, *args: Tensor, vocab_size: int, **rest: object):
        verdict = right(hidden, lm_head[:vocab_size].flip(0).contiguous(), *args, vocab_size=vocab_size, **rest)
        token_ids = torch.where(verdict.token_ids >= 0, vocab_size - 1 - verdict.token_ids, -1)
        return replace(verdict, token_ids=token_ids.int())

    monkeypatch.setattr(gpu, "verify", wrong)
    problems = [o for o in verify.outcomes(SETTING, verify.SMALL[-1:], variants=()) if o.problem]
    assert any("integers" in outcome.case and outcome.case.endswith("token_ids") for outcome in problems)


def test_a_norm_that_forgets_its_residual_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = gpu.rms_norm_residual
    monkeypatch.setattr(gpu, "rms_norm_residual", lambda x, residual, weight, eps: right(x, None, weight, eps))
    assert {"residual" in outcome.case for outcome in small.norm_outcomes(SETTING) if outcome.problem} == {True}
