"""What can be imported without loading torch."""

from __future__ import annotations

import subprocess
import sys

import pytest

MODULES = "fastedit.draft, fastedit.targets, fastedit.verify.verified", "fastedit.decode.asking"


@pytest.mark.parametrize("modules", MODULES)
def test_drafting_and_asking_cost_no_torch(modules):
    code = f"import sys, {modules}\nassert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=250)
