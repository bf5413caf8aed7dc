"""Whether llama.cpp computes the same model: each token chosen with the known output before it, by both.

Equal models still part where two tokens are nearly as likely, as the same model does in another precision. So the
share of equal choices is held against that of the target itself in bfloat16 and in float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from evals.speed.replay import Trace

if TYPE_CHECKING:
    from transformers import PreTrainedModel

TOLERANCE = 0.02


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts of tokens. equal: llama.cpp chose what the target does; equal_float32: what the target does in float32;
    equal_precisions: the target chose the same in both; equal_known: the target chose the known token."""

    tokens: int = 0
    equal: int = 0
    equal_float32: int = 0
    equal_precisions: int = 0
    equal_known: int = 0

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(
            self.tokens + other.tokens,
            self.equal + other.equal,
            self.equal_float32 + other.equal_float32,
            self.equal_precisions + other.equal_precisions,
            self.equal_known + other.equal_known,
        )

    @property
    def share(self) -> float:
        return self.equal / self.tokens

    @property
    def is_same_model(self) -> bool:
        """Whether llama.cpp agrees with the target about as often as the target with itself, in another precision."""
        return self.equal >= self.equal_precisions - TOLERANCE * self.tokens


class Judge:
    """The target in its own precision and in float32."""

    def __init__(self, model: PreTrainedModel) -> None:
        self._model = model
        copied: Any = deepcopy(model)
        self._precise: PreTrainedModel = copied.float()

    def compare(self, trace: Trace, theirs: Sequence[int]) -> Agreement:
        """theirs: what llama.cpp chose at each place of the trace's output."""
        own, precise = choices(self._model, trace), choices(self._precise, trace)
        return Agreement(
            len(trace.output),
            num_equal(theirs, own),
            num_equal(theirs, precise),
            num_equal(own, precise),
            num_equal(own, trace.output),
        )


@torch.inference_mode()
def choices(model: PreTrainedModel, trace: Trace) -> list[int]:
    """The model's argmax at each place of the output, what comes before it as known."""
    tokens = torch.tensor([trace.prompt + trace.output[:-1]], device=model.device)
    logits = model(input_ids=tokens, use_cache=False, logits_to_keep=len(trace.output)).logits
    chosen: list[int] = logits[0].float().argmax(dim=-1).tolist()
    return chosen


def num_equal(one: Sequence[int], other: Sequence[int]) -> int:
    """At how many places both have the same. ValueError where one is longer."""
    return sum(a == b for a, b in zip(one, other, strict=True))
