"""Every kernel in the interpreter against its reference, outputs poisoned: see `fastedit_kernels.checks`."""

from collections.abc import Iterable

import pytest
import torch

from fastedit_kernels import checks
from fastedit_kernels.checks import attention, small, verify
from fastedit_kernels.checks.common import Outcome, Setting


@pytest.fixture(params=checks.INTERPRETED_TYPES, ids=str)
def setting(request: pytest.FixtureRequest) -> Setting:
    return Setting(torch.device("cpu"), request.param, seed=11)


def assert_all_pass(outcomes: Iterable[Outcome]) -> None:
    found = list(outcomes)
    assert found
    assert [outcome for outcome in found if outcome.problem] == []


@pytest.mark.parametrize(
    "outcomes", [small.rope_outcomes, small.append_outcomes, small.norm_outcomes, small.silu_outcomes]
)
def test_small_kernels(outcomes, setting: Setting) -> None:
    assert_all_pass(outcomes(setting))


@pytest.mark.parametrize("case", attention.SMALL, ids=str)
def test_chunk_attention(case: attention.Case, setting: Setting) -> None:
    assert_all_pass(attention.outcomes(setting, (case,)))


def test_attention_of_a_row_depends_on_its_own_keys_alone(setting: Setting) -> None:
    assert_all_pass(attention.invariance_outcomes(setting))


@pytest.mark.parametrize("case", verify.SMALL, ids=str)
def test_verify(case: verify.Case, setting: Setting) -> None:
    assert_all_pass(verify.outcomes(setting, (case,), every_tile=setting.dtype == torch.float32))


def test_verdict_of_a_row_depends_on_that_row_alone(setting: Setting) -> None:
    assert_all_pass(verify.invariance_outcomes(setting))


def test_noise_has_the_same_bits_in_triton_and_torch() -> None:
    assert_all_pass(verify.noise_outcomes(Setting(torch.device("cpu"), torch.float32, seed=3)))
