"""Edits that several tests look at, generated once for a run."""

from __future__ import annotations

import sysconfig
from functools import cache
from pathlib import Path

from fastedit.training.synthesis import Sample, generate
from support.examples import share_of

ORIGINALS = Path(__file__).parents[1] / "training" / "originals"
STANDARD_LIBRARY = Path(sysconfig.get_paths()["stdlib"])
SOURCES = (ORIGINALS, *(STANDARD_LIBRARY / name for name in ("email", "asyncio", "json", "http", "logging", "urllib")))


NUM_DOCUMENTS = 75  # with fewer some language is missing


@cache
def samples() -> tuple[Sample, ...]:
    """Edits of the standard library and of small files in other languages: so many that every kind of them is there."""
    count = share_of(900, fewest=450)
    return tuple(generate(SOURCES, seed=5, n=count, edits_per_document=count // NUM_DOCUMENTS))
