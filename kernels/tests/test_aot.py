"""All shipped tiles compile for Ampere and Hopper within their limits, and the committed table says so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import triton

from fastedit_kernels.builds import ARCHITECTURES, Build, fullest_builds, shipped_builds
from fastedit_kernels.check import environment

COMMITTED = Path(__file__).parent.parent / "aot_table.md"
# (rows, wgmma) of what multiplies on Hopper; the last column, of problems, is empty.
ROWS = re.compile(r"^\| (?:product_tiles|split_attention) \| \D*(\d+)x\S* \| 90 \|.*\| (yes)? \|  \|$", re.MULTILINE)


def committed_rows() -> list[str]:
    return [line for line in COMMITTED.read_text().splitlines() if line.startswith("| ") and "| kernel |" not in line]


def test_the_table_has_every_build() -> None:
    found = [tuple(row.split(" | ")[:3]) for row in committed_rows()]
    assert found == [(f"| {one.kernel.__name__}", one.variant, str(one.arch)) for one in shipped_builds()]


def test_every_tile_of_every_kernel_is_among_the_fullest_builds() -> None:
    """By what a build is compiled with, not by its name: so that a tile or a kernel can't be left out."""
    sizes = ("BLOCK_M", "BLOCK_N", "BLOCK_K", "D", "TMA", "BLOCK_H")

    def tiles(builds: list[Build]) -> set[tuple[object, ...]]:
        return {(one.kernel.__name__, one.arch, *map(one.constants.get, sizes)) for one in builds}

    fullest = fullest_builds()
    assert tiles(fullest) == tiles(list(shipped_builds()))
    assert {one.arch for one in fullest} == set(ARCHITECTURES)
    flags = {name for one in fullest for name, value in one.constants.items() if value}
    assert flags >= {"SAMPLE", "LOGPROBS", "WINDOW", "ONE_SPLIT", "NORM"}


def test_a_build_of_every_tile_is_within_its_limits_and_in_the_table() -> None:
    command = [sys.executable, "-m", "fastedit_kernels.aot", "--quick"]
    run = subprocess.run(command, env=environment("0"), check=False, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    *table, summary = run.stdout.splitlines()
    rows = [line for line in table if line.startswith("| ") and "| kernel |" not in line]
    assert len(rows) == len(fullest_builds())
    assert summary == f"compiled={len(rows)} spilled=0 problems=0"
    if COMMITTED.read_text().startswith(f"Triton {triton.__version__},"):
        assert set(rows) <= set(committed_rows()), "run python -m fastedit_kernels.aot --write kernels"


@pytest.mark.slow
def test_every_build_is_within_its_limits_and_in_the_table(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fastedit_kernels.aot", "--write", str(tmp_path)]
    run = subprocess.run(command, env=environment("0"), check=False, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.splitlines()[-1].endswith("spilled=0 problems=0")
    committed = COMMITTED.read_text()
    if committed.startswith(f"Triton {triton.__version__},"):
        assert (tmp_path / COMMITTED.name).read_text() == committed, (
            "run python -m fastedit_kernels.aot --write kernels"
        )


def test_hopper_products_use_wgmma_from_64_rows_on() -> None:
    products = ROWS.findall(COMMITTED.read_text())
    assert products
    for num_rows, wgmma in products:
        assert bool(wgmma) == (int(num_rows) >= 64), num_rows


def test_the_compiler_refuses_a_process_with_the_interpreter_on() -> None:
    command = [sys.executable, "-m", "fastedit_kernels.aot"]
    run = subprocess.run(command, env=environment("1"), check=False, capture_output=True, text=True)
    assert run.returncode == 2
    assert "TRITON_INTERPRET" in run.stderr
