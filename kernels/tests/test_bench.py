"""The benchmark's own parts, on a CPU: the whole pass it times is right, and its reports hold what was measured."""

import math
from pathlib import Path

import pytest
import torch

from fastedit_kernels import EXACT, gpu
from fastedit_kernels.bench import __main__ as bench
from fastedit_kernels.bench import exactness, whole_pass
from fastedit_kernels.bench.cases import TINY, Case, Place
from fastedit_kernels.bench.report import Result, best_other, read_json, table, write_json
from fastedit_kernels.bench.whole_pass import Stack
from fastedit_kernels.timing import Ceilings

PLACE = Place(torch.device("cpu"), torch.float32)
CEILINGS = Ceilings("a device", 1e12, 1e13)


def test_the_whole_pass_is_the_same_by_kernels_and_by_references(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    stack = Stack.random(PLACE, TINY, slot_len=64, num_slots=2)
    x = PLACE.randn(9, TINY.width)
    index = (PLACE.index(0, 5, 8), PLACE.index(1, 0), PLACE.index(30, 7))
    expected = stack.hidden(x, index, 5, EXACT)
    for name in ("rms_norm_residual", "rope_append", "chunk_attention", "silu_mul", "verify"):
        monkeypatch.setattr(whole_pass, name, getattr(gpu, name))
    assert torch.allclose(stack.hidden(x, index, 5, EXACT)[:8], expected[:8], atol=1e-4)
    assert (stack.run(x, index, 5, EXACT).token_ids[:8] >= 0).all()


def test_a_way_that_fails_says_why_and_stops_no_other() -> None:
    case = Case("k", "c", 1e6, 0.0, {"kernel": lambda: torch.ones(2) @ torch.ones(3), "torch": lambda: None})
    broken, fine = bench.results(case, PLACE, CEILINGS)
    assert "RuntimeError" in broken.problem
    assert math.isnan(broken.milliseconds)
    assert fine.problem == ""
    assert fine.floor_ms == pytest.approx(1e-3)


def test_reports_hold_what_was_measured(tmp_path: Path) -> None:
    ours, theirs = Result("k", "c", "kernel", 1.0, 0.5, 3), Result("k", "c", "torch", 2.0, 0.5)
    broken = Result("k", "c", "torch flash", math.nan, 0.5, problem="RuntimeError: no")
    assert best_other([ours, theirs, broken], ours) == 2.0
    text = table([ours, theirs, broken], CEILINGS)
    assert "| k | c | kernel | 1.0000 | 0.5000 | 50% | 2.00x | 0.0 |  |" in text
    assert "RuntimeError: no" in text
    write_json([ours, broken], CEILINGS, tmp_path / "bench.json")
    read, ceilings = read_json(tmp_path / "bench.json")
    assert read[0] == ours
    assert math.isnan(read[1].milliseconds)
    assert ceilings == CEILINGS


def test_without_a_gpu_it_says_so_loudly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["--only", "small", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("NO GPU")
    assert {"bench.json", "bench.md"} <= {path.name for path in tmp_path.iterdir()}


def test_tokens_fed_in_pieces_are_the_same_tokens() -> None:
    """On a CPU the products' last bits may differ, but nothing else."""
    torch.manual_seed(0)
    stack = Stack.random(PLACE, TINY, slot_len=200)
    x = PLACE.randn(20, TINY.width)
    whole, pieces = (exactness.fed(stack, PLACE, x, 10, piece, EXACT) for piece in (20, 7))
    assert torch.allclose(whole, pieces, atol=1e-4)
