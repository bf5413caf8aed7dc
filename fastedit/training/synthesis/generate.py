"""Edits with known truth, streamed: the front door of synthesis."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from fastedit.edits.model import Format
from fastedit.training.synthesis.changes import HARD_WEIGHTS, WEIGHTS, draw_change
from fastedit.training.synthesis.changes.common import Site
from fastedit.training.synthesis.corpus import Pool, gather
from fastedit.training.synthesis.document import Document
from fastedit.training.synthesis.history import mine
from fastedit.training.synthesis.model import BY_CARE, Change, Sample, Tier
from fastedit.training.synthesis.rendering import render
from fastedit.training.synthesis.sources import Duplicates, documents
from fastedit.training.synthesis.written.message import render_written

FORMAT_WEIGHTS: Mapping[Format, float] = {
    Format.LAZY: 0.6,
    Format.UDIFF: 0.12,
    Format.SEARCH_REPLACE: 0.12,
    Format.V4A: 0.1,
    Format.WHOLE: 0.06,
}
WINDOW = 48  # documents whose pieces are mixed with each other
EDITS_PER_DOCUMENT = 3
RENDER_TRIES = 4
MAX_PASSES = 8


def generate(
    sources: Iterable[Path],
    *,
    seed: int,
    n: int,
    tiers: Sequence[Tier] = BY_CARE,
    formats: Sequence[Format] = tuple(Format),
    apart: Iterable[Path] = (),
    edits_per_document: int = EDITS_PER_DOCUMENT,
) -> Iterator[Sample]:
    """Up to `n` samples of made changes of the files below `sources`, the same for the same seed and files.

    apart: files, not folders, that no original may resemble. Fewer than `n` come where the sources are too few for
    more.
    """
    folders, duplicates = list(sources), Duplicates(apart)
    rng = random.Random(seed)
    wanted = n
    for _ in range(MAX_PASSES):
        found = 0
        stream = documents(folders, duplicates, rng)
        for sample in islice(_samples(stream, rng, tiers, formats, edits_per_document), wanted):
            found += 1
            yield sample
        wanted -= found
        if wanted <= 0 or not found:
            return


def generate_from_histories(
    repositories: Iterable[Path],
    *,
    seed: int,
    n: int,
    tiers: Sequence[Tier] = BY_CARE,
    formats: Sequence[Format] = tuple(Format),
    apart: Iterable[Path] = (),
) -> Iterator[Sample]:
    """Up to `n` samples of the real changes in git repositories, each rendered once. Raises HistoryError."""
    rng, duplicates = random.Random(seed), Duplicates(apart)
    weights = [FORMAT_WEIGHTS[format] for format in formats]
    changes = (change for repository in repositories for change in mine(repository, duplicates=duplicates))
    samples = (rendered_sample(change, rng.choice(tiers), rng.choices(formats, weights)[0], rng) for change in changes)
    yield from islice((sample for sample in samples if sample is not None), n)


def _samples(
    stream: Iterator[Document], rng: random.Random, tiers: Sequence[Tier], formats: Sequence[Format], per_document: int
) -> Iterator[Sample]:
    while window := list(islice(stream, WINDOW)):
        pools = gather(window)
        jobs = [document for document in window for _ in range(per_document)]
        rng.shuffle(jobs)
        for document in jobs:
            sample = _draw_sample(document, pools[document.language], rng, tiers, formats)
            if sample is not None:
                yield sample


def _draw_sample(
    document: Document, pool: Pool, rng: random.Random, tiers: Sequence[Tier], formats: Sequence[Format]
) -> Sample | None:
    tier = rng.choice(tiers)
    change = draw_change(Site(document, pool, rng), HARD_WEIGHTS if tier is Tier.HARD else WEIGHTS)
    if change is None:
        return None
    weights = [FORMAT_WEIGHTS[format] for format in formats]
    return rendered_sample(change, tier, rng.choices(formats, weights)[0], rng)


def rendered_sample(change: Change, tier: Tier, format: Format, rng: random.Random) -> Sample | None:
    """The change as a sample, or None where no unambiguous rendering of this kind was found in a few draws."""
    is_written = tier is Tier.WRITTEN and format is Format.LAZY
    care = Tier.SLOPPY if tier is Tier.WRITTEN else tier  # patches of written messages are those of the sloppy ones
    for _ in range(RENDER_TRIES):
        rendered = render_written(change, rng) if is_written else render(change, care, format, rng)
        if rendered is not None:
            return Sample(
                path=change.before.path,
                language=change.before.language,
                original=change.before.text,
                edit=rendered.text,
                expected=change.after.text,
                tier=tier,
                format=format,
                kind=change.kind,
                habits=rendered.habits,
            )
    return None
