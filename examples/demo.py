"""Applies every example with the `fastedit` command: shows the diff, then writes what the embedded target checked.

Where nothing is installed that a target runs on, the edits are applied without one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

EXAMPLES = Path(__file__).parent
FASTEDIT = Path(sys.executable).with_name("fastedit")
TARGET = "embedded" if find_spec("torch") and find_spec("transformers") else "none"


def main() -> int:
    """Exit status: 0 where every example came out as expected."""
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        os.environ["FORCE_COLOR"] = "1"
    folders = sorted(path.parent for path in EXAMPLES.glob("*/edit.md"))
    num_exact = sum(run(folder) for folder in folders)
    print(f"\n{num_exact} of {len(folders)} examples came out exactly as expected.")
    return 0 if num_exact == len(folders) else 1


def run(folder: Path) -> bool:
    """Whether the example's files come out as its `expected` folder has them."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary, folder.name)
        shutil.copytree(folder / "original", root)
        shutil.copy(folder / "edit.md", temporary)
        names = [path.name for path in root.iterdir() if path.is_file()]
        arguments = ["apply", *names, "../edit.md"]
        for options in (["--diff"], ["--target", TARGET]):
            print(f"\n{folder.name}$ fastedit {' '.join([*arguments, *options])}", flush=True)
            subprocess.run([FASTEDIT, *arguments, *options], cwd=root, check=False)
        return contents(root) == contents(folder / "expected")


def contents(root: Path) -> dict[str, bytes]:
    """The bytes of every file below `root`."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


if __name__ == "__main__":
    sys.exit(main())
