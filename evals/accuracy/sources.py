"""Where originals come from: folders, or installed packages by name."""

from __future__ import annotations

import argparse
import sysconfig
from pathlib import Path

from fastedit.training.sources import INSTALLED, installed

HELP = f"folders of originals, or {INSTALLED}NAME for an installed package (default: standard library, packages)"


def add_sources(parser: argparse.ArgumentParser) -> None:
    """The option `--sources`; None where it isn't given."""
    parser.add_argument("--sources", type=source, nargs="+", help=HELP)


def source(name: str) -> Path:
    """A folder's or a package's place; argparse.ArgumentTypeError where there is none."""
    path = installed(name.removeprefix(INSTALLED)) if name.startswith(INSTALLED) else Path(name)
    if path is None or not path.exists():
        raise argparse.ArgumentTypeError(f"there is no {name}")
    return path


def default_sources() -> list[Path]:
    """The standard library and the installed packages."""
    paths = sysconfig.get_paths()
    return list(dict.fromkeys(Path(paths[name]) for name in ("stdlib", "purelib")))
