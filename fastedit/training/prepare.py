"""Makes what a run reads, before it or beside it: a tokenizer, and shards of documents."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

from fastedit.edits.model import Format
from fastedit.errors import SettingsError
from fastedit.training.cases import WrittenCase, case_samples, read_cases
from fastedit.training.create import read_tokenizer, template_for
from fastedit.training.documents import HELD_OUT, SHARD_DOCUMENTS, Encoder, shards_in, write_shards
from fastedit.training.pairs import Pair, pairs_of, with_joined
from fastedit.training.settings import TrainingSettings
from fastedit.training.sources import held_out_files, is_held_out, kept_apart, source_folders
from fastedit.training.synthesis import BY_CARE, Sample, Tier, generate
from fastedit.training.terse import terse
from fastedit.training.tokenizer import train_tokenizer

PATCHES = (Format.UDIFF, Format.SEARCH_REPLACE, Format.V4A)
ENDLESS = 10**9


def prepare(settings: TrainingSettings) -> None:
    """Makes the tokenizer and the shards that the settings name, where they aren't there yet."""
    if not settings.data.sources:
        return
    folder = settings.path(settings.data.shards)
    num_shards = len(shards_in(folder))
    pairs = sample_pairs(settings, num_shards)
    if settings.model.tokenizer and not settings.path(settings.model.tokenizer).is_dir():
        texts = (text for pair in islice(pairs, settings.data.tokenizer_pairs) for text in (pair.original, pair.edit))
        tokenizer = train_tokenizer(texts, settings.model.vocabulary)
        tokenizer.save_pretrained(settings.path(settings.model.tokenizer))
    if (num_missing := settings.data.pairs - num_shards * SHARD_DOCUMENTS) > 0:
        _write(settings, pairs, folder, num_shards, num_missing)
    if settings.data.held_out and not shards_in(folder / HELD_OUT):
        _write_held_out(settings, folder / HELD_OUT)


def _write(settings: TrainingSettings, pairs: Iterator[Pair], folder: Path, first: int, num_documents: int) -> None:
    """Writes so many documents, none of a held-out original, in shards numbered from `first`."""
    encoder = Encoder(template_for(settings), read_tokenizer(settings))
    limit = settings.data.max_tokens
    seen = (pair for pair in pairs if not is_held_out(pair.source, settings.data.held_out))
    fitting = (document for pair in seen if len(document := encoder.document(pair)) <= limit)
    write_shards(islice(fitting, num_documents), folder, first=first)


def _write_held_out(settings: TrainingSettings, folder: Path) -> None:
    encoder = Encoder(template_for(settings), read_tokenizer(settings))
    pairs = held_out_pairs(settings)
    fitting = (document for pair in pairs if len(document := encoder.document(pair)) <= settings.data.max_tokens)
    write_shards(islice(fitting, settings.evaluation.documents), folder)


def sample_pairs(settings: TrainingSettings, first: int = 0) -> Iterator[Pair]:
    """Pairs without end, from all sources and formats by their weights; the same for the same seeds and files.

    first: a number that changes the seed, so that another one gives other pairs.
    """
    data = settings.data
    folders = source_folders(settings)
    weights = list(data.weights) or [1.0] * len(folders)
    if len(weights) != len(folders):
        raise SettingsError("data.weights must have one number for each source")
    cases = seen_cases(settings)
    if data.cased and not cases:
        raise SettingsError("data.cases leaves no lazy edit of one file to learn from")
    return _drawn([[folder] for folder in folders], weights, cases, settings, f"{data.seed} {first}")


def held_out_pairs(settings: TrainingSettings, seed: int = 0) -> Iterator[Pair]:
    """Pairs without end of the files, and of the packages' messages, that a run of these settings doesn't see."""
    files = held_out_files(settings)
    if not files:
        raise SettingsError("data.held_out leaves no file out")
    return _drawn([files], [1.0], held_out_cases(settings), settings, f"held out {seed}")


def _drawn(
    groups: list[list[Path]], weights: list[float], cases: list[WrittenCase], settings: TrainingSettings, seed: str
) -> Iterator[Pair]:
    rng, data, apart = random.Random(seed), settings.data, kept_apart(settings)
    template = template_for(settings)
    kinds = (
        ((Format.LAZY,), BY_CARE, data.lazy * (1.0 - data.written)),
        ((Format.LAZY,), (Tier.WRITTEN,), data.lazy * data.written),
        (PATCHES, BY_CARE, 1.0 - data.lazy),
    )
    streams = [
        _endless(group, formats, tiers, f"{seed} {number}", apart)
        for number, group in enumerate(groups)
        for formats, tiers, _ in kinds
    ]
    total = sum(weights)
    shares = [weight / total * (1.0 - data.cased) * share for weight in weights for *_, share in kinds]
    if data.cased and cases:  # a run may hold out none
        streams.append(case_samples(cases, random.Random(f"cases {seed}")))
        shares.append(data.cased)
    samples = (next(rng.choices(streams, shares)[0]) for _ in count())
    pairs = (pair for sample in samples for pair in pairs_of(sample, rng, data.tight, template))
    pairs = (terse(pair, rng) if pair.is_lazy and rng.random() < data.terse else pair for pair in pairs)
    yield from with_joined(pairs, data.joined, random.Random(f"joined {seed}"))


def seen_cases(settings: TrainingSettings) -> list[WrittenCase]:
    """The written messages that a run of these settings learns from: those of packages that it doesn't hold out."""
    return [case for case in _cases(settings) if not is_held_out(case.package, settings.data.cases_held_out)]


def held_out_cases(settings: TrainingSettings) -> list[WrittenCase]:
    """The written messages that a run of these settings is evaluated on: those of the packages that it holds out."""
    return [case for case in _cases(settings) if is_held_out(case.package, settings.data.cases_held_out)]


def _cases(settings: TrainingSettings) -> list[WrittenCase]:
    return [case for name in settings.data.cases for case in read_cases(settings.path(name))]


def _endless(
    group: list[Path], formats: tuple[Format, ...], tiers: tuple[Tier, ...], seed: str, apart: list[Path]
) -> Iterator[Sample]:
    for sitting in count():
        is_empty = True
        own_seed = random.Random(f"{seed} {formats} {tiers} {sitting}").getrandbits(32)
        for sample in generate(group, seed=own_seed, n=ENDLESS, tiers=tiers, formats=formats, apart=apart):
            is_empty = False
            yield sample
        if is_empty:
            raise SettingsError(f"data.sources: no edits can be made of the files in {group[0].name}")
