"""Settings for the whole suite."""

import gc
import os
import tempfile
from pathlib import Path

import pytest

from fastedit.targets.default import NO_TARGET, choose_default
from support.examples import load_profile

load_profile()

# Tests run beside each other, one or more on a core: threads of numpy's and torch's would only wait for each other.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

# What tests start reads compiled modules, as in an installation: compiling takes longer than its work.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# What an edit comes to without a target is one question, what a target makes of it another: tests that mean a target
# name one.
choose_default(NO_TARGET)
os.environ.setdefault("FASTEDIT_TARGET", NO_TARGET)  # for the processes that tests start
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="fastedit-tests-")  # not where the user's own runs are kept

# Importing leaves half a million objects that stay. Collections needn't look at them, neither now nor between tests.
gc.disable()

NOT_YET = Path(__file__).with_name("not_yet.txt")


def pytest_collection_modifyitems(items):
    """Marks the edits that the alignment doesn't read yet: they are run, and told apart from what broke."""
    known = {line for line in NOT_YET.read_text("utf-8").split("\n") if line and not line.startswith("#")}
    for item in items:
        if item.nodeid in known:
            item.add_marker(pytest.mark.xfail(reason="the fitted alignment doesn't read this yet", strict=False))
            # Nobody is shown its traceback, which takes longer to write than most of these tests to run.
            item.repr_failure = lambda failure: failure.exconly()


def pytest_collection_finish():
    """Has the collector begin, and leave out whatever has been imported."""
    gc.collect()
    gc.freeze()
    gc.enable()
