"""The target's own token for every row that predicts one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch
from torch import Tensor

from fastedit.decode.request import Sampling
from fastedit.decode.sampling import sample

LOGITS_AT_ONCE = 2**21  # so many logits are held together: 8 MB in float32, which a CPU's caches hold
MIN_ROWS_AT_ONCE = 64  # or a large vocabulary's weights would be read for a few rows
NO_TOKEN = -1  # the row has a NaN


@dataclass(frozen=True, slots=True)
class Question:
    """Rows of one request. first_position: the absolute position of the token that the first row predicts."""

    num_rows: int
    first_position: int
    sampling: Sampling


@dataclass(frozen=True, slots=True)
class LogitsEnd:
    """What a model does to its head's output, in this order: times a factor, over a divisor, under a soft cap."""

    factor: float | None = None
    divisor: float | None = None
    cap: float | None = None

    def __call__(self, logits: Tensor) -> Tensor:
        if self.factor is not None:
            logits = logits * self.factor
        if self.divisor is not None:
            logits = logits / self.divisor
        if self.cap is not None:
            logits = torch.tanh(logits / self.cap) * self.cap
        return logits


AS_THEY_ARE = LogitsEnd()


class TokenChooser:
    """Chooses from logits = end(head(hidden)), formed in the head's own dtype as the model itself would.

    head: [R, D] -> [R, num_ids].
    """

    def __init__(self, head: Callable[[Tensor], Tensor], num_ids: int, end: LogitsEnd = AS_THEY_ARE) -> None:
        self._head = head
        self._num_ids = num_ids
        self._end = end

    def choose(self, hidden: Tensor, questions: Sequence[Question]) -> list[list[int]]:
        """The own tokens of each question's rows; `NO_TOKEN` where a row's logits hold a NaN.

        hidden: [R, D], after the final norm, the questions' rows one behind the other.
        """
        ends = list(accumulate(question.num_rows for question in questions))
        if all(question.sampling.is_greedy for question in questions):
            tokens = self._greedy(hidden)
            return [tokens[end - question.num_rows : end] for question, end in zip(questions, ends, strict=True)]
        return [
            self._ask(hidden[end - question.num_rows : end], question)
            for question, end in zip(questions, ends, strict=True)
        ]

    def _ask(self, hidden: Tensor, question: Question) -> list[int]:
        if question.sampling.is_greedy:
            return self._greedy(hidden)
        positions = question.first_position + torch.arange(len(hidden), device=hidden.device)
        step = self._rows_at_once
        tokens: list[int] = []
        for start in range(0, len(hidden), step):
            rows = slice(start, start + step)
            tokens += sample(self.logits(hidden[rows]), positions[rows], question.sampling).tolist()
        return tokens

    def _greedy(self, hidden: Tensor) -> list[int]:
        tokens: list[int] = []
        for rows in torch.split(hidden, self._rows_at_once):
            best, ids = self.logits(rows).max(dim=-1)  # the lowest id among equals
            tokens += torch.where(best.isnan(), NO_TOKEN, ids).tolist()
        return tokens

    @property
    def _rows_at_once(self) -> int:
        return max(MIN_ROWS_AT_ONCE, LOGITS_AT_ONCE // self._num_ids)

    def logits(self, hidden: Tensor) -> Tensor:
        """float32 [R, V]."""
        # float32 holds half-precision logits exactly, and its maximum is several times faster on a CPU
        return self._end(self._head(hidden)).float()


def accepted_length(own: Sequence[int], draft: Sequence[int]) -> int:
    """Length of the longest draft prefix that the target agrees with.

    own: the target's token at each of the draft's positions (and perhaps one more).
    """
    if list(own[: len(draft)]) == list(draft):
        return len(draft)
    return next(index for index, token in enumerate(draft) if own[index] != token)
