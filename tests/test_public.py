"""The public names, and what importing and using them costs."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import fastedit

NAMES = [
    "Applied",
    "Candidate",
    "Changes",
    "Code",
    "EditRefused",
    "FastEditError",
    "FileChange",
    "Stats",
    "Warning",
    "apply",
    "apply_patch",
]
HEAVY = ("torch", "transformers", "tokenizers", "safetensors", "pydantic", "fastapi", "triton")
ORIGINAL = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
EDIT = "```python\n# ...\ndef g():\n    return 3\n```\n"


def run(script: str, *, mode: str = "-c") -> str:
    """What a fresh interpreter prints."""
    root = str(Path(fastedit.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, mode, script],
        env={**os.environ, "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_public_names():
    assert sorted(fastedit.__all__) == NAMES
    assert all(getattr(fastedit, name) is not None for name in NAMES)


def test_everything_else_is_no_attribute():
    with pytest.raises(AttributeError, match="no attribute 'aply'"):
        _ = fastedit.aply


def test_the_contract_of_apply():
    parameters = inspect.signature(fastedit.apply).parameters
    keyword_only = [name for name, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY]
    assert keyword_only == ["path", "instruction", "format", "mode", "scope", "target", "certainty", "choose"]
    assert list(parameters) == ["original", "edit", *keyword_only]
    assert {name: parameters[name].default for name in keyword_only} == {
        "path": None,
        "instruction": None,
        "format": "auto",
        "mode": "auto",
        "scope": "auto",
        "target": None,
        "certainty": None,
        "choose": None,
    }


@pytest.mark.parametrize(
    "use",
    [
        "import fastedit",
        f"import fastedit; fastedit.apply({ORIGINAL!r}, {EDIT!r}, path='a.py', mode='structural')",
        "import fastedit; fastedit.apply_patch; fastedit.FileChange",
    ],
)
def test_the_structural_path_imports_no_model_library(use: str):
    script = f"{use}\nimport sys\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    assert run(script).strip() == "[]"


def test_importing_alone_reads_no_grammar():
    script = "import fastedit, sys\nprint([name for name in sys.modules if name.startswith('tree_sitter_')])"
    assert run(script).strip() == "[]"


def test_type_checkers_see_the_public_names():
    """Names that are looked up at run time are imported where only checkers look, from where they really are."""
    source = Path(fastedit.__file__).read_text("utf-8")
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname or alias.name: node.module for node in imports for alias in node.names}
    assert set(NAMES) <= set(seen)
    for name in NAMES:
        module = importlib.import_module(seen[name] or "")
        assert getattr(module, name) is getattr(fastedit, name)
    assert Path(fastedit.__file__).with_name("py.typed").is_file()


@pytest.mark.parametrize(
    "use",
    [
        "import fastedit",
        "import fastedit; fastedit.apply('a\\n', '--- a\\n+++ a\\n@@ -1 +1 @@\\n-a\\n+b\\n', mode='structural')",
    ],
)
def test_what_needs_no_search_needs_no_numpy(use: str):
    """Numpy takes longer to import than a patch to apply."""
    assert run(f"{use}\nimport sys\nprint('numpy' in sys.modules)").strip() == "False"
