"""What a run reads, made before it or beside it: a tokenizer, and shards of documents."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from fastedit.edits.model import Format
from fastedit.errors import SettingsError
from fastedit.training.create import read_tokenizer, template_for
from fastedit.training.documents import HELD_OUT, SHARD_DOCUMENTS, SHORT, Document, Encoder, shards_in, write_shards
from fastedit.training.pairs import Pair, pairs_of
from fastedit.training.settings import TrainingSettings
from fastedit.training.sources import is_held_out, kept_apart, source_folders
from fastedit.training.synthesis import Sample, generate
from fastedit.training.tokenizer import train_tokenizer
from fastedit.training.warmup import short_pairs

PATCHES = (Format.UDIFF, Format.SEARCH_REPLACE, Format.V4A)
TOKENIZER_PAIRS = 3000
ENDLESS = 10**9
SHORT_COPIES = 8


def prepare(settings: TrainingSettings) -> None:
    """Make the tokenizer and the shards that the settings name, where they aren't there yet."""
    if not settings.data.sources:
        return
    pairs = sample_pairs(settings)
    if settings.model.tokenizer and not settings.path(settings.model.tokenizer).is_dir():
        texts = (text for pair in islice(pairs, TOKENIZER_PAIRS) for text in (pair.original, pair.edit))
        tokenizer = train_tokenizer(texts, settings.model.vocabulary)
        tokenizer.save_pretrained(settings.path(settings.model.tokenizer))
    folder = settings.path(settings.data.shards)
    wanted = -(-settings.data.pairs // SHARD_DOCUMENTS)
    num_shards = len(shards_in(folder))
    if num_shards < wanted:
        write(settings, pairs, folder, num_shards, wanted)
    if settings.data.short_pairs and not shards_in(folder / SHORT):
        _write_short(settings, pairs, folder / SHORT)


def write(settings: TrainingSettings, pairs: Iterator[Pair], folder: Path, first: int, end: int) -> None:
    """Write the shards numbered from `first` to `end`, and one of held-out documents where there is none."""
    encoder = Encoder(template_for(settings), read_tokenizer(settings))
    held: list[Document] = []

    def training_documents() -> Iterator[Document]:
        for pair in pairs:
            document = encoder.document(pair)
            if len(document) > settings.data.max_tokens:
                continue
            if is_held_out(pair.source, settings.data.held_out):
                held.append(document)
            else:
                yield document

    write_shards(islice(training_documents(), (end - first) * SHARD_DOCUMENTS), folder, first=first)
    if held and not shards_in(folder / HELD_OUT):
        write_shards(held, folder / HELD_OUT)


def _write_short(settings: TrainingSettings, pairs: Iterator[Pair], folder: Path) -> None:
    encoder = Encoder(template_for(settings), read_tokenizer(settings))
    used = (pair for pair in pairs if not is_held_out(pair.source, settings.data.held_out))
    short = short_pairs(used, random.Random(settings.data.seed), SHORT_COPIES)
    write_shards(map(encoder.document, islice(short, settings.data.short_pairs)), folder)


def sample_pairs(settings: TrainingSettings, seed: int | None = None) -> Iterator[Pair]:
    """Pairs without end, from all sources and formats by their weights; the same for the same seed and files."""
    data = settings.data
    seed = data.seed if seed is None else seed
    rng = random.Random(seed)
    folders, apart = source_folders(settings), kept_apart(settings)
    weights = list(data.weights) or [1.0] * len(folders)
    if len(weights) != len(folders):
        raise SettingsError("data.weights must have one number for each source")
    streams = [_endless(folder, formats, seed, apart) for folder in folders for formats in ((Format.LAZY,), PATCHES)]
    shares = [weight * share for weight in weights for share in (data.lazy, 1.0 - data.lazy)]
    while True:
        stream = rng.choices(streams, shares)[0]
        yield from pairs_of(next(stream), rng)


def _endless(folder: Path, formats: tuple[Format, ...], seed: int, apart: list[Path]) -> Iterator[Sample]:
    round = 0
    while True:
        round += 1
        is_empty = True
        own_seed = random.Random(f"{seed} {folder.name} {formats} {round}").getrandbits(32)
        for sample in generate([folder], seed=own_seed, n=ENDLESS, formats=formats, apart=apart):
            is_empty = False
            yield sample
        if is_empty:
            raise SettingsError(f"data.sources: no edits can be made of the files in {folder.name}")
