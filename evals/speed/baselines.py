"""What FastEdit is measured against: plain `generate`, prompt look-up, and one pass over prompt and output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from evals.speed.replay import Trace

if TYPE_CHECKING:
    from transformers import PreTrainedModel


Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Timing:
    """One way over one trace. passes: forward calls of the model, where they were counted."""

    seconds: float
    num_tokens: int
    passes: int


class ForcedOutput:
    """A logits processor that lets only the known output through: the same work as free decoding, a known result."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        index = min(input_ids.shape[1] - len(self._trace.prompt), len(self._trace.output) - 1)
        forced = torch.full_like(scores, float("-inf"))
        forced[:, self._trace.output[index]] = 0.0
        return forced


@torch.inference_mode()
def generate(
    model: PreTrainedModel, trace: Trace, clock: Clock, max_tokens: int | None = None, **options: Any
) -> Timing:
    """`model.generate` (greedy) along the trace; `max_tokens` cuts the measurement short.

    RuntimeError where it didn't come out as known.
    """
    num_tokens = min(max_tokens or len(trace.output), len(trace.output))
    passes = 0

    def count(*_: object) -> None:
        nonlocal passes
        passes += 1

    hook = model.register_forward_pre_hook(count)
    started_s = clock()
    output = model.generate(  # type: ignore[operator]
        torch.tensor([trace.prompt], device=model.device),
        do_sample=False,
        max_new_tokens=num_tokens,
        logits_processor=[ForcedOutput(trace)],
        **options,
    )
    seconds = clock() - started_s
    hook.remove()
    written = tuple(output[0, len(trace.prompt) :].tolist())
    if written != trace.output[: len(written)] or len(written) != num_tokens:
        raise RuntimeError("generate didn't follow the known output")
    return Timing(seconds, num_tokens, passes)


@torch.inference_mode()
def one_pass(model: PreTrainedModel, trace: Trace, clock: Clock) -> Timing:
    """The limit: prompt and output read in a single pass of the model, the argmax of every output position taken."""
    tokens = torch.tensor([trace.prompt + trace.output], device=model.device)
    started_s = clock()
    logits = model(input_ids=tokens, use_cache=False, logits_to_keep=len(trace.output) + 1).logits
    logits.float().argmax(dim=-1).tolist()
    return Timing(clock() - started_s, len(trace.output), 1)
