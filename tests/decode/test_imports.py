"""Imports that load no torch, and names that are imported when first asked for."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

MODULES = "fastedit.draft, fastedit.targets, fastedit.verify.windows", "fastedit.decode.request"


@pytest.mark.parametrize("modules", MODULES)
def test_drafting_and_asking_cost_no_torch(modules):
    code = f"import sys, {modules}\nassert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=250)


@pytest.mark.parametrize("package", ["fastedit.decode", "fastedit.targets"])
def test_each_public_name_is_found_where_the_package_looks_for_it(package):
    module = import_module(package)
    found = {name: getattr(module, name) for name in module.__all__}
    assert all(value is not None for value in found.values())
    with pytest.raises(AttributeError, match="no attribute 'unknown'"):
        _ = module.unknown
