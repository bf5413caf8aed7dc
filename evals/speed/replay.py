"""The Replay target: a real model computed in full, whose decisions come from a known output instead of its argmax.

With random weights a model never copies, so its own decisions would say nothing about edits. Here every pass runs all
layers, the attention over the slots, the output head, the argmax over the vocabulary and the verdict on the drafts;
only then is the answer replaced. Figures taken this way say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fastedit.decode.passes import Append, Verdict
from fastedit.decode.runner import Runner


@dataclass(frozen=True, slots=True)
class Trace:
    """A request whose output is known. output: ends with the stop token."""

    prompt: tuple[int, ...]
    output: tuple[int, ...]


@dataclass
class ReplayRunner:
    """Runs `inner` and answers from `traces`, which stand in the order in which the requests are submitted."""

    inner: Runner
    traces: list[Trace] = field(default_factory=list)

    @property
    def num_slots(self) -> int:
        return self.inner.num_slots

    @property
    def slot_len(self) -> int:
        return self.inner.slot_len

    @property
    def max_len(self) -> int:
        return self.inner.max_len

    @property
    def fallbacks(self) -> tuple[str, ...]:
        return self.inner.fallbacks

    @property
    def step_widths(self) -> tuple[int, ...]:
        return self.inner.step_widths

    def append(self, appends: Sequence[Append]) -> list[Verdict | None]:
        computed = self.inner.append(appends)
        if not self.traces:  # the engine is measuring its costs
            return computed
        return [self._known(append) for append in appends]

    def copy_prefix(self, source: int, destination: int, length: int) -> None:
        self.inner.copy_prefix(source, destination, length)

    def move(self, slot: int, source: int, destination: int, length: int) -> None:
        self.inner.move(slot, source, destination, length)

    def release_memory(self) -> None:
        self.inner.release_memory()

    def _known(self, append: Append) -> Verdict | None:
        if not append.num_rows:
            return None
        trace = self.traces[append.request]
        first = append.first_position - len(trace.prompt)
        # A draft may run past the end; what the target would write there is never looked at.
        own = [trace.output[min(index, len(trace.output) - 1)] for index in range(first, first + append.num_rows)]
        return Verdict.of(own, append.draft)
