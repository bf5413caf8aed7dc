"""Every kernel in the interpreter against its reference, outputs poisoned: see `fastedit_kernels.checks`."""

from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from triton.runtime import interpreter

from fastedit_kernels import checks, gpu
from fastedit_kernels.checks import attention, small, verify
from fastedit_kernels.checks.common import CheckOutcome, Setting
from fastedit_kernels.gpu.tiles import CUBLAS, LOGITS_TILE
from fastedit_kernels.gpu.verify import MERGED_TILES, DraftRows, TileResults, merged


@pytest.fixture(params=checks.INTERPRETED_TYPES, ids=str)
def setting(request: pytest.FixtureRequest) -> Setting:
    return Setting(torch.device("cpu"), request.param, seed=11)


def assert_all_pass(outcomes: Iterable[CheckOutcome]) -> None:
    found = list(outcomes)
    assert found
    assert [outcome for outcome in found if outcome.problem] == []


@pytest.mark.parametrize(
    "outcomes", [small.rope_outcomes, small.append_outcomes, small.norm_outcomes, small.silu_outcomes]
)
def test_small_kernels(outcomes, setting: Setting) -> None:
    assert_all_pass(outcomes(setting))


@pytest.mark.parametrize("case", attention.SMALL, ids=str)
def test_chunk_attention(case: attention.AttentionCase, setting: Setting) -> None:
    assert_all_pass(attention.outcomes(setting, (case,)))


@pytest.fixture
def _even_products(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the interpreter multiply row by row: on some processors a BLAS computes a row otherwise beside other rows."""

    def matmul(a: np.ndarray, b: np.ndarray, dtype: np.dtype) -> np.ndarray:
        left, right = np.broadcast_arrays(a.astype(dtype)[..., None], b.astype(dtype)[..., None, :, :])
        return np.einsum("...ijk,...ijk->...ik", left, right, optimize=False)

    monkeypatch.setattr(interpreter, "np", SimpleNamespace(**{**vars(np), "matmul": matmul}))


@pytest.mark.usefixtures("_even_products")
def test_attention_of_a_row_depends_on_its_own_keys_alone(setting: Setting) -> None:
    assert_all_pass(attention.invariance_outcomes(setting))


@pytest.mark.parametrize("case", verify.SMALL, ids=str)
def test_verify(case: verify.VerifyCase, setting: Setting) -> None:
    assert_all_pass(verify.outcomes(setting, (case,), verify.VARIANTS if setting.dtype == torch.float32 else ()))


def test_verify_over_several_blocks_of_the_vocabulary(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks are shorter here than they are shipped: the interpreter takes seconds for 16,384 tokens."""
    assert verify.SEVERAL_BLOCKS.vocab_size > LOGITS_TILE.vocab_block
    block = 2 * LOGITS_TILE.block_n
    case = replace(verify.SEVERAL_BLOCKS, V=block + 300, vocab_size=block + 200)
    module = import_module("fastedit_kernels.gpu.verify")  # `gpu.verify` is the function
    monkeypatch.setattr(module, "LOGITS_TILE", replace(LOGITS_TILE, vocab_block=block))
    assert_all_pass(verify.outcomes(setting, (case,), (CUBLAS,)))


def test_a_broken_target_confirms_nothing() -> None:
    """A row of NaN logits has no token, and that isn't the same as having no draft."""
    hidden = torch.tensor([[1.0] * 16, [float("nan")] * 16])
    lm_head = torch.ones(20, 16)
    cu_rows = torch.tensor([0, 2]).int()
    verdict = gpu.verify(hidden, lm_head, torch.tensor([0, -1]).int(), cu_rows)
    assert verdict.token_ids.tolist() == [0, -1]
    assert verdict.num_accepted.tolist() == [1]


def test_merging_prefers_the_lowest_id_over_many_tiles() -> None:
    """More tiles than one step merges, the best score in several of them."""
    scores = torch.randint(0, 4, (3 * MERGED_TILES + 5, 11), generator=torch.Generator().manual_seed(0)).float()
    tokens = torch.arange(len(scores), dtype=torch.int32)[:, None].expand_as(scores).contiguous()
    rows = DraftRows(torch.zeros(11).int(), torch.tensor([0, 11]).int(), 1000, None, need_logprobs=False)
    found = merged(TileResults(scores, tokens, scores, scores), rows)
    assert torch.equal(found.token_ids, (scores == scores.amax(0)).int().argmax(0).int())


@pytest.mark.usefixtures("_even_products")
def test_verdict_of_a_row_depends_on_that_row_alone(setting: Setting) -> None:
    assert_all_pass(verify.invariance_outcomes(setting))


def test_noise_has_the_same_bits_in_triton_and_torch() -> None:
    assert_all_pass(verify.noise_outcomes(Setting(torch.device("cpu"), torch.float32, seed=3)))
