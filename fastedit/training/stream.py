"""The endless stream of a run's documents: shard after shard, each epoch in another order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fastedit.errors import SettingsError
from fastedit.training.documents import TokenizedExample, read_shard, shards_in, shuffled


@dataclass
class DocumentStream:
    """Documents of one of `num_ranks` processes, from `num_read` shards on. max_tokens: longer ones are left out.

    Each shard is split between the ranks. A new epoch begins behind the last shard that is there by then, so that
    shards may still be written while a run reads them. SettingsError where there is none.
    """

    folder: Path
    max_tokens: int
    rank: int = 0
    num_ranks: int = 1
    seed: int = 0
    num_read: int = 0

    def __iter__(self) -> Iterator[TokenizedExample]:
        while True:
            yield from self._mine(shuffled(read_shard(self._next_shard()), self.num_read))
            self.num_read += 1

    def _mine(self, documents: list[TokenizedExample]) -> Iterator[TokenizedExample]:
        for document in documents[self.rank :: self.num_ranks]:
            if len(document) <= self.max_tokens:
                yield document

    def _next_shard(self) -> Path:
        shards = shards_in(self.folder)
        if not shards:
            raise SettingsError(f"there are no shards of documents in {self.folder.name}")
        epoch, number = divmod(self.num_read, len(shards))
        if epoch:
            random.Random(f"{self.seed} {epoch}").shuffle(shards)
        return shards[number]
