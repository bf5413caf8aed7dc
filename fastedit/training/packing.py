"""Rows of a fixed number of tokens, each filled with whole documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from fastedit.errors import SettingsError
from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.copying import mark_tokens
from fastedit.targets.templates import PromptTemplate
from fastedit.training.documents import TokenizedExample

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

Choices = npt.NDArray[np.bool_]

LOOK_AHEAD = 128  # documents among which those that fill a row are looked for
MOST_DOCUMENTS = 512  # attention kernels are launched for so many, there or not


@dataclass(frozen=True, slots=True)
class PackedRow:
    """One packed row of T tokens. What is behind the last bound is padding.

    tokens, positions: [1, T], positions counted from each document's start. bounds: int64 on the CPU, see
    `attention`. outputs: [N], the places whose next token is part of an answer, and chosen; targets: [N], those tokens.
    documents: [N], the number of the document that each belongs to.
    """

    tokens: Tensor
    positions: Tensor
    bounds: Tensor
    outputs: Tensor
    targets: Tensor
    documents: Tensor

    @property
    def num_tokens(self) -> int:
        return int(self.bounds[-1])

    @property
    def longest(self) -> int:
        """Tokens of its longest document."""
        return int(self.bounds.diff().max())

    def to(self, device: torch.device) -> PackedRow:
        """The row on a device, its bounds and documents left where they are; not waited for if it is pinned."""
        moved = (x.to(device, non_blocking=True) for x in (self.tokens, self.positions, self.outputs, self.targets))
        tokens, positions, outputs, targets = moved
        return replace(self, tokens=tokens, positions=positions, outputs=outputs, targets=targets)

    def pinned(self) -> PackedRow:
        """The row in memory that a GPU reads while the program goes on."""
        pinned = (x.pin_memory() for x in (self.tokens, self.positions, self.outputs, self.targets))
        tokens, positions, outputs, targets = pinned
        return replace(self, tokens=tokens, positions=positions, outputs=outputs, targets=targets)


def pack(documents: Sequence[TokenizedExample], num_tokens: int, choices: Choices | None = None) -> PackedRow:
    """Packs the documents into one row.

    choices: see `choices_of`; None for all answers.
    Raises ValueError where they don't fit, SettingsError where there are choices and the documents have none of them.
    """
    lengths = np.array([len(document) for document in documents])
    ends = lengths.cumsum()
    end = int(ends[-1])
    if end > num_tokens:
        raise ValueError(f"{end} tokens of documents for a row of {num_tokens}")
    # All documents at once: a GPU takes thousands of them a second.
    tokens, positions = np.zeros(num_tokens, np.int64), np.zeros(num_tokens, np.int64)
    tokens[:end] = np.concatenate([document.tokens for document in documents])
    positions[:end] = np.arange(end) - np.repeat(ends - lengths, lengths)
    num_prompt = np.array([document.num_prompt for document in documents])
    answers = np.flatnonzero(positions[:end] >= np.repeat(num_prompt, lengths))
    if choices is not None:
        answers = answers[choices[tokens[answers]] | choices[tokens[answers - 1]]]
        if not len(answers):
            raise SettingsError("the documents have no line marks; they were made with another template or tokenizer")
    owners = np.repeat(np.arange(len(documents)), lengths)
    bounds = np.full(max_documents(num_tokens) + 1, end)
    bounds[: len(documents) + 1] = [0, *ends]
    parts = tokens[None], positions[None], bounds, answers - 1, tokens[answers], owners[answers]
    return PackedRow(*map(torch.from_numpy, parts))


def choices_of(template: PromptTemplate, tokenizer: PreTrainedTokenizerBase) -> Choices | None:
    """[vocabulary], bool: the tokens that a target with line marks chooses: the marks before lines, and the end.

    It chooses what follows one of these, too; all else of an answer is known then (`fastedit.targets.marks`). None
    where a target writes everything itself.
    """
    codec = TokenizerCodec(tokenizer.backend_tokenizer)
    marks = mark_tokens(codec) if template.has_marks else None
    if marks is None:
        return None
    choices = np.zeros(len(tokenizer), dtype=np.bool_)
    choices[[*marks.starts, int(tokenizer.eos_token_id or 0)]] = True
    return choices


def rows(documents: Iterator[TokenizedExample], num_tokens: int, choices: Choices | None = None) -> Iterator[PackedRow]:
    """Packed rows, filled from the front by the first of the next documents that fits; too long ones are left out."""
    waiting: list[TokenizedExample] = []
    while True:
        chosen: list[TokenizedExample] = []
        room = num_tokens
        while len(chosen) < max_documents(num_tokens):
            while len(waiting) < LOOK_AHEAD and (document := next(documents, None)) is not None:
                if len(document) <= num_tokens:
                    waiting.append(document)
            fit = next((index for index, document in enumerate(waiting) if len(document) <= room), None)
            if fit is None:
                break
            chosen.append(waiting.pop(fit))
            room -= len(chosen[-1])
        if not chosen:
            return
        yield pack(chosen, num_tokens, choices)


def max_documents(num_tokens: int) -> int:
    """The number of documents that a row of so many tokens may hold."""
    # A fixed number: bounds of another shape would make a compiled model compile again.
    return max(1, min(num_tokens // 32, MOST_DOCUMENTS))
