"""A target whose answers are written by the test: everything but the model's own arithmetic is the real thing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from fastedit.decode import Engine, EngineSettings, api
from fastedit.decode.controller import CostTable
from fastedit.decode.passes import Append, Verdict
from fastedit.targets import Target

COSTS = {1: 1e-3, 2**16: 1e-3}  # every pass costs the same, and little
OWN, OTHER = math.log(0.9), math.log(0.01)  # how likely it finds a token that it would write there, and any other
Answer = Callable[[str, str], str]  # (original, edit) as the embedded template shows them


@dataclass
class ScriptedRunner:
    """Answers each prompt as `answer` says. asked: the (original, edit) of each prompt, in order; crowds: how many
    requests each pass was for."""

    target: Target
    answer: Answer
    slot_len: int = 4096
    num_slots: int = 4
    fallbacks: tuple[str, ...] = ()
    step_widths: tuple[int, ...] = ()
    asked: list[tuple[str, str]] = field(default_factory=list)
    fails_from: float = math.inf  # the pass from which on none succeeds
    num_passes: int = 0
    crowds: list[int] = field(default_factory=list)
    before_pass: Callable[[], None] = lambda: None
    _slots: dict[int, list[int]] = field(default_factory=dict)
    _outputs: dict[tuple[int, ...], list[int]] = field(default_factory=dict)

    @property
    def max_len(self) -> int:
        return self.slot_len

    def append(self, appends: Sequence[Append]) -> list[Verdict | None]:
        self.before_pass()
        self.num_passes += 1
        self.crowds.append(sum(not append.is_branch for append in appends))
        if self.num_passes >= self.fails_from:
            raise RuntimeError("the device fell over")
        return [self._verdict(append) for append in appends]

    def move(self, slot: int, source: int, destination: int, length: int) -> None:
        rows = self._slots[slot]
        rows[destination : destination + length] = rows[source : source + length]

    def copy_prefix(self, source: int, destination: int, length: int) -> None:
        self._slots[destination] = self._slots[source][:length]

    def release_memory(self) -> None:
        pass

    def _verdict(self, append: Append) -> Verdict | None:
        rows = self._slots.setdefault(append.slot, [])
        tokens = rows[: append.length] + list(append.tokens)
        rows[append.length + append.offset :] = append.tokens
        if not append.num_rows:
            return None
        last_of_prompt = tokens.index(self._special("<|merged|>"))
        output = self._output(tuple(tokens[: last_of_prompt + 1]))
        first = len(tokens) - append.num_rows - last_of_prompt
        own = [output[min(index, len(output) - 1)] for index in range(first, first + append.num_rows)]
        verdict = Verdict.of(own, append.draft)
        if not append.needs_logprobs:
            return verdict
        told = tuple(OWN if token == drafted else OTHER for token, drafted in zip(own, append.draft, strict=False))
        return replace(verdict, logprobs=(OWN,) * len(own), draft_logprobs=(*told, math.nan))

    def _output(self, prompt: tuple[int, ...]) -> list[int]:
        if prompt not in self._outputs:
            edit_at = prompt.index(self._special("<|edit|>"))
            original, edit = self._text(prompt[1:edit_at]), self._text(prompt[edit_at + 1 : -1])
            self.asked.append((original, edit))
            self._outputs[prompt] = [*self.target.codec.encode(self.answer(original, edit)), self.target.stop_tokens[0]]
        return self._outputs[prompt]

    def _text(self, tokens: Sequence[int]) -> str:
        return b"".join(map(self.target.codec.piece, tokens)).decode("utf-8")

    def _special(self, word: str) -> int:
        return int(self.target.tokenizer.convert_tokens_to_ids(word))


def script(target: Target, answer: Answer, **how: object) -> ScriptedRunner:
    """Let the target answer so from now on; `target` should be asked with the embedded template."""
    runner = ScriptedRunner(target, answer, **how)  # type: ignore[arg-type]
    if old := api._engines.pop(target, None):
        old.close()
    engine = Engine(runner, api.vocabulary_of(target), EngineSettings(), CostTable(COSTS))
    engine.start()
    api._engines[target] = engine
    return runner
