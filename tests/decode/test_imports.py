"""What can be imported without loading torch."""

from __future__ import annotations

import subprocess
import sys


def test_drafting_and_targets_cost_no_torch():
    code = "import sys, fastedit.draft, fastedit.targets, fastedit.verify.windows\nassert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=250)
