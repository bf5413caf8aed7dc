"""All shipped tiles compile for Ampere and Hopper within their limits, and the committed table says so."""

import json
import re
import subprocess
import sys
from pathlib import Path

import triton

from fastedit_kernels.check import environment

COMMITTED = Path(__file__).parent.parent / "aot_table.json"


def test_every_build_is_within_its_limits_and_in_the_table(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fastedit_kernels.aot", "--write", str(tmp_path)]
    run = subprocess.run(command, env=environment("0"), check=False, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.splitlines()[-1].endswith("spilled=0 problems=0")
    fresh, committed = (json.loads((folder / COMMITTED.name).read_text()) for folder in (tmp_path, COMMITTED.parent))
    if committed["triton"] == triton.__version__:
        assert fresh == committed, "run python -m fastedit_kernels.aot --write kernels"


def test_hopper_products_use_wgmma_from_64_rows_on() -> None:
    rows = [row for row in json.loads(COMMITTED.read_text())["kernels"] if row["arch"] == 90]
    products = [row for row in rows if row["kernel"] in ("product_tiles", "split_attention")]
    assert products
    for row in products:
        num_rows = int(re.search(r"(\d+)x\d+", row["variant"])[1])
        assert row["wgmma"] == (num_rows >= 64), row


def test_the_compiler_refuses_a_process_with_the_interpreter_on() -> None:
    command = [sys.executable, "-m", "fastedit_kernels.aot"]
    run = subprocess.run(command, env=environment("1"), check=False, capture_output=True, text=True)
    assert run.returncode == 2
    assert "TRITON_INTERPRET" in run.stderr
