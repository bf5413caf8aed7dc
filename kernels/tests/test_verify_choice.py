"""The start-up measurement, with a clock of our own and the kernels in the interpreter."""

from collections.abc import Callable
from itertools import count

import pytest
import torch

from fastedit_kernels import EXACT, FAST
from fastedit_kernels.gpu import tiles, verify_choice
from fastedit_kernels.gpu.verify_choice import measured

LM_HEAD = torch.randn(150, 32, generator=torch.Generator().manual_seed(0))


def test_the_fastest_right_variant_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    times = count(10, -1)  # later is faster, so the last candidate wins

    def timer(call: Callable[[], object]) -> float:
        call()
        return float(next(times))

    mode, rows = measured(FAST, LM_HEAD, 150, row_counts=(16,), timer=timer)
    greedy, sampled = ([row.variant for row in rows if row.is_sampled == flag] for flag in (False, True))
    assert greedy[0] == sampled[0] == tiles.CUBLAS
    assert set(greedy[1:]) == {name for name in tiles.START_UP_CANDIDATES if tiles.VERIFY_TILES[name].tma}
    assert set(sampled[1:]) == {
        name for name in tiles.START_UP_CANDIDATES if tiles.VERIFY_TILES[name].tma and tiles.VERIFY_TILES[name].samples
    }
    assert mode.verify_tiles == ((16, greedy[-1], sampled[-1]), (tiles.ANY, greedy[-1], sampled[-1]))


def test_a_variant_that_is_wrong_or_breaks_is_out(monkeypatch: pytest.MonkeyPatch) -> None:
    right = verify_choice.verify

    def verify(hidden, *args, mode, **rest):
        name = mode.verify_tiles[0][1]
        if name == "tma-64x128":
            raise RuntimeError("PassManager::run failed")
        return right(hidden * (-1 if name == "tma-16x128" else 1), *args, mode=mode, **rest)

    monkeypatch.setattr(verify_choice, "verify", verify)
    slow_library = iter((9.0, *[1.0] * 3, 9.0, *[1.0] * 3))
    mode, rows = measured(FAST, LM_HEAD, 150, row_counts=(16,), timer=lambda call: next(slow_library, 1.0))
    problems = {row.variant: row.problem for row in rows if row.problem}
    assert set(problems) == {"tma-64x128", "tma-16x128"}
    assert "PassManager" in problems["tma-64x128"]
    assert "differ" in problems["tma-16x128"]
    assert not set(problems) & set(mode.verify_tiles[0][1:])


def test_exact_modes_are_not_measured() -> None:
    with pytest.raises(ValueError, match="exact"):
        measured(EXACT, LM_HEAD, 150)
