"""The endless stream of a run's documents: shard after shard, each epoch in another order."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fastedit.errors import SettingsError
from fastedit.training.documents import Document, read_shard, shards_in, shuffled

WAIT_S = 5.0
MAX_WAIT_S = 600.0


@dataclass
class DocumentStream:
    """Documents of one of `num_ranks` processes, from `num_read` shards on. max_tokens: longer ones are left out.

    Each shard is split between the ranks. A new epoch begins behind the last shard that is there by then, so that
    shards may still be written while a run reads them. SettingsError where there is none after a few minutes.
    """

    folder: Path
    max_tokens: int
    rank: int = 0
    num_ranks: int = 1
    seed: int = 0
    num_read: int = 0

    def __iter__(self) -> Iterator[Document]:
        while True:
            yield from self._mine(shuffled(read_shard(self._next_shard()), self.num_read))
            self.num_read += 1

    def _mine(self, documents: list[Document]) -> Iterator[Document]:
        for document in documents[self.rank :: self.num_ranks]:
            if len(document) <= self.max_tokens:
                yield document

    def _next_shard(self) -> Path:
        shards = self._shards()
        epoch, number = divmod(self.num_read, len(shards))
        if epoch:
            random.Random(f"{self.seed} {epoch}").shuffle(shards)
        return shards[number]

    def _shards(self) -> list[Path]:
        started = time.monotonic()
        while not (shards := shards_in(self.folder)):
            if time.monotonic() - started > MAX_WAIT_S:
                raise SettingsError(f"there are no shards of documents in {self.folder.name}")
            time.sleep(WAIT_S)
        return shards
