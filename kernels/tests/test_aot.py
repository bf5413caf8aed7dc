"""All shipped tiles compile for Ampere and Hopper within their limits, and the committed table says so."""

import re
import subprocess
import sys
from pathlib import Path

import triton

from fastedit_kernels.check import environment

COMMITTED = Path(__file__).parent.parent / "aot_table.md"
# (rows, wgmma) of what multiplies on Hopper; the last column, of problems, is empty.
ROWS = re.compile(r"^\| (?:product_tiles|split_attention) \| \D*(\d+)x\S* \| 90 \|.*\| (yes)? \|  \|$", re.MULTILINE)


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
