"""Measures how many held-out answers the model would give word for word.

Where every token of the true answer is the likeliest one given those before it, greedy decoding gives that answer, and
where one isn't, it doesn't: one forward pass over prompt and answer tells, no decoding needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch

from fastedit.training.documents import TokenizedExample
from fastedit.training.forward import RowModel
from fastedit.training.packing import Choices, max_documents, pack


@dataclass(frozen=True, slots=True)
class Exactness:
    """Counts of the documents of at most `max_tokens` tokens and more than the group before: all, and exact ones."""

    max_tokens: int
    num_documents: int
    num_exact: int
    num_tokens: int
    num_right: int

    @property
    def exact_share(self) -> float:
        return self.num_exact / max(1, self.num_documents)

    @property
    def token_accuracy(self) -> float:
        return self.num_right / max(1, self.num_tokens)


def measure(
    model: RowModel,
    documents: Iterable[TokenizedExample],
    limits: Sequence[int],
    row_tokens: int,
    choices: Choices | None = None,
) -> list[Exactness]:
    """One entry for each limit, shortest first; documents longer than the last limit are left out. choices: as for
    `pack`; what isn't chosen counts as right.
    """
    wrong = [_num_wrong(model, chunk, row_tokens, choices) for chunk in _chunks(documents, row_tokens)]
    counted = [pair for chunk in wrong for pair in chunk]
    result, lower = [], 0
    for limit in sorted(limits):
        group = [(document, misses) for document, misses in counted if lower < len(document) <= limit]
        num_tokens = sum(len(document) - document.num_prompt for document, _ in group)
        num_exact = sum(not misses for _, misses in group)
        result.append(Exactness(limit, len(group), num_exact, num_tokens, num_tokens - sum(m for _, m in group)))
        lower = limit
    return result


@torch.no_grad()
def _num_wrong(
    model: RowModel, documents: Sequence[TokenizedExample], row_tokens: int, choices: Choices | None
) -> list[tuple[TokenizedExample, int]]:
    row = pack(documents, row_tokens, choices)
    misses = torch.zeros(len(documents), dtype=torch.long)
    misses.index_add_(0, row.documents, (~model(row).is_right).long().cpu())
    return list(zip(documents, misses.tolist(), strict=True))


def _chunks(documents: Iterable[TokenizedExample], row_tokens: int) -> Iterable[list[TokenizedExample]]:
    chunk: list[TokenizedExample] = []
    room = row_tokens
    for document in documents:
        if len(document) > row_tokens:
            continue
        if len(document) > room or len(chunk) >= max_documents(row_tokens):
            yield chunk
            chunk, room = [], row_tokens
        chunk.append(document)
        room -= len(document)
    if chunk:
        yield chunk
