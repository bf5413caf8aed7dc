"""Edits that several tests look at, generated once for a run."""

from __future__ import annotations

import sysconfig
from functools import cache
from pathlib import Path

from fastedit.training.synthesis import Sample, generate

ORIGINALS = Path(__file__).parents[1] / "training" / "originals"
STANDARD_LIBRARY = Path(sysconfig.get_paths()["stdlib"])
SOURCES = (ORIGINALS, *(STANDARD_LIBRARY / name for name in ("email", "asyncio", "json", "http", "logging", "urllib")))


@cache
def samples(count: int = 900, seed: int = 5) -> tuple[Sample, ...]:
    """Edits of the standard library and of small files in other languages."""
    return tuple(generate(SOURCES, seed=seed, n=count, edits_per_document=12))
