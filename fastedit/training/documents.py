"""Tokenised pairs: what a training run reads, in shards on disk.

A shard is an `.npz` of all tokens behind one another and, for each document, its length and the length of its prompt.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from fastedit.errors import SettingsError
from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.marks import NUM_MARKS, LineMarks
from fastedit.targets.templates import PromptTemplate, prompt_tokens

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from fastedit.training.pairs import Pair

SHARD_DOCUMENTS = 1000
HELD_OUT = "held-out"  # below a folder of shards: those that are only evaluated on


@dataclass(frozen=True, slots=True)
class TokenizedExample:
    """One example. tokens: prompt, answer and stop token. num_prompt: how many of them no loss is taken on."""

    tokens: npt.NDArray[np.uint32]
    num_prompt: int

    def __len__(self) -> int:
        return len(self.tokens)


class Encoder:
    """Makes documents of pairs, as the target that comes of the training will be asked.

    SettingsError where the tokenizer has no token that ends a text.
    """

    def __init__(self, template: PromptTemplate, tokenizer: PreTrainedTokenizerBase) -> None:
        if tokenizer.eos_token_id is None:
            raise SettingsError("the tokenizer has no token that ends a text")
        self._template, self._tokenizer = template, tokenizer
        self._codec = TokenizerCodec(tokenizer.backend_tokenizer)
        self._stop_token = int(tokenizer.eos_token_id)
        self._rng = random.Random(0)

    def document(self, pair: Pair) -> TokenizedExample:
        original, edit, elisions, merged = pair.original, pair.edit, pair.elisions, pair.merged
        if self._template.has_marks:
            # From anywhere, so that a model learns all marks alike.
            marks = LineMarks(original, edit, elisions, pair.codes, first=self._rng.randrange(NUM_MARKS))
            merged = marks.marked_text(merged)
            original, (edit, elisions) = marks.marked_original, marks.marked_edit
        prompt = prompt_tokens(self._template, self._tokenizer, self._codec, original, edit, elisions=elisions)
        answer = self._codec.encode(self._template.answer_open + merged + self._template.answer_close)
        return TokenizedExample(np.array([*prompt, *answer, self._stop_token], dtype=np.uint32), len(prompt))


def write_shards(documents: Iterable[TokenizedExample], folder: Path, *, first: int = 0) -> int:
    """Writes shards, numbered from `first`, and gives their number; each appears whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    stream, number = iter(documents), first
    while batch := list(islice(stream, SHARD_DOCUMENTS)):
        unfinished = folder / f"unfinished-{number:05d}.npz"
        np.savez(
            unfinished,
            tokens=np.concatenate([document.tokens for document in batch]),
            lengths=np.array([len(document) for document in batch]),
            prompts=np.array([document.num_prompt for document in batch]),
        )
        os.replace(unfinished, folder / f"shard-{number:05d}.npz")
        number += 1
    return number - first


def shards_in(folder: Path) -> list[Path]:
    """The folder's shards in their order."""
    return sorted(folder.glob("shard-*.npz"))


def read_shard(path: Path) -> list[TokenizedExample]:
    with np.load(path) as arrays:
        tokens, lengths, prompts = arrays["tokens"], arrays["lengths"], arrays["prompts"]
    ends = np.cumsum(lengths)
    return [
        TokenizedExample(tokens[end - length : end], int(prompt))
        for end, length, prompt in zip(ends, lengths, prompts, strict=True)
    ]


def shuffled(documents: Sequence[TokenizedExample], seed: int) -> list[TokenizedExample]:
    order = list(documents)
    random.Random(seed).shuffle(order)
    return order
