"""The package as others see it: names, signatures, modes, no need of Triton."""

import inspect
import subprocess
import sys

import pytest
import torch

import fastedit_kernels
from fastedit_kernels import EXACT, FAST, dispatch, gpu, reference
from fastedit_kernels.check import environment
from fastedit_kernels.gpu import tiles


def test_all_names_exist() -> None:
    assert all(hasattr(fastedit_kernels, name) for name in fastedit_kernels.__all__)
    assert fastedit_kernels.__all__ == sorted(
        fastedit_kernels.__all__, key=lambda name: (not name.isupper(), name.islower(), name)
    )


@pytest.mark.parametrize("name", reference.__all__)
def test_kernel_reference_and_dispatch_share_a_signature(name: str) -> None:
    signatures = [inspect.signature(getattr(module, name)) for module in (reference, gpu, dispatch)]
    assert signatures[0] == signatures[1] == signatures[2]


def test_imports_without_triton() -> None:
    program = (
        "import sys; sys.modules['triton'] = None; import fastedit_kernels as k, torch; k.silu_mul(torch.ones(1, 2))"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env=environment("0"))


def test_cpu_tensors_go_to_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "silu_mul", lambda gate_up: pytest.fail("the kernel was called"))
    assert torch.equal(fastedit_kernels.silu_mul(torch.zeros(2, 4)), torch.zeros(2, 2))


def test_row_buckets() -> None:
    assert EXACT.row_bucket(1) == EXACT.row_bucket(128) == 128
    assert FAST.row_bucket(65) == 128
    with pytest.raises(ValueError, match="don't fit"):
        EXACT.row_bucket(129)


def test_tile_tables_name_tiles_that_exist() -> None:
    known = {*tiles.VERIFY_TILES, tiles.CUBLAS}
    for by_rows in tiles.DEFAULT_TILES.values():
        assert by_rows[-1][0] == tiles.ANY
        for _, greedy, sampled in by_rows:
            assert {greedy, sampled} <= known
            assert sampled == tiles.CUBLAS or tiles.VERIFY_TILES[sampled].samples
    assert all(tiles.VERIFY_TILES[name].samples for name in tiles.EXACT_TILE.values())


def test_wrong_inputs_are_refused() -> None:
    with pytest.raises(ValueError, match="int32 index tensors"):
        gpu.verify(torch.ones(1, 16), torch.ones(4, 16), torch.zeros(1, dtype=torch.int32), torch.tensor([0, 1]))
    with pytest.raises(ValueError, match="one width"):
        gpu.verify(torch.ones(1, 16), torch.ones(4, 8), torch.zeros(1, dtype=torch.int32), torch.tensor([0, 1]).int())
