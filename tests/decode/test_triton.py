"""The engine with the Triton kernels themselves, run by Triton's interpreter: the text is the module's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent.parent / "support" / "interpreted_engine.py"


def test_drafts_are_verified_by_the_kernels(tiny_folders):
    pytest.importorskip("fastedit_kernels")
    pytest.importorskip("triton")
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(tiny_folders["endless"])],
        env=os.environ | {"TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
