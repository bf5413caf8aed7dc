"""Rows of a fixed number of tokens, each filled with whole documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from fastedit.training.documents import Document

LOOK_AHEAD = 128  # documents among which those that fill a row are looked for


@dataclass(frozen=True, slots=True)
class Row:
    """One packed row of T tokens. What is behind the last bound is padding.

    tokens, positions: [1, T], positions counted from each document's start. bounds: int64 on the CPU, see
    `attention`. outputs: [N], the places whose next token is part of an answer; targets: [N], those tokens.
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

    def to(self, device: torch.device) -> Row:
        """The row on a device; its bounds stay where they are."""
        moved = (x.to(device) for x in (self.tokens, self.positions, self.outputs, self.targets, self.documents))
        tokens, positions, outputs, targets, documents = moved
        return Row(tokens, positions, self.bounds, outputs, targets, documents)


def pack(documents: Sequence[Document], num_tokens: int) -> Row:
    """The documents in one row; ValueError where they don't fit."""
    lengths = [len(document) for document in documents]
    if sum(lengths) > num_tokens:
        raise ValueError(f"{sum(lengths)} tokens of documents for a row of {num_tokens}")
    tokens = torch.zeros(num_tokens, dtype=torch.long)
    positions = torch.zeros(num_tokens, dtype=torch.long)
    bounds = torch.zeros(_max_documents(num_tokens) + 1, dtype=torch.long)
    outputs, targets, owners = [], [], []
    start = 0
    for number, document in enumerate(documents):
        end = start + len(document)
        ids = torch.from_numpy(document.tokens.astype("int64"))
        tokens[start:end] = ids
        positions[start:end] = torch.arange(len(document))
        outputs.append(torch.arange(start + document.num_prompt - 1, end - 1))
        targets.append(ids[document.num_prompt :])
        owners.append(torch.full((len(document) - document.num_prompt,), number))
        bounds[number + 1 :] = end
        start = end
    return Row(tokens[None], positions[None], bounds, torch.cat(outputs), torch.cat(targets), torch.cat(owners))


def rows(documents: Iterator[Document], num_tokens: int) -> Iterator[Row]:
    """Packed rows, filled from the front by the first of the next documents that fits; too long ones are left out."""
    waiting: list[Document] = []
    while True:
        chosen: list[Document] = []
        room = num_tokens
        while len(chosen) < _max_documents(num_tokens):
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
        yield pack(chosen, num_tokens)


def _max_documents(num_tokens: int) -> int:
    # A fixed number: bounds of another shape would make a compiled model compile again.
    return max(1, num_tokens // 32)
