"""Tiny targets with random weights, whose outputs are printable text, and what `generate` makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
import transformers
from transformers import AutoModelForCausalLM, PreTrainedModel

from fastedit.decode.controller import CostTable
from fastedit.decode.engine import Engine
from fastedit.decode.passes import Append, Verdict
from fastedit.decode.request import DecodeRequest, DecodeResult
from fastedit.decode.runner import ModelRunner, Runner
from fastedit.decode.sequence import Vocabulary
from fastedit.decode.settings import EngineSettings
from fastedit.targets import Target
from fastedit.targets.synthetic import SPECIAL_TOKENS, Shape, make_checkpoint

transformers.utils.logging.disable_progress_bar()

NO_MERGES = 256 + len(SPECIAL_TOKENS)  # one token a byte
FLAT_COSTS = {1: 1.0, 2**16: 1.0}  # every pass costs the same, so all that is allowed is drafted
MIN_MARGIN = 1e-4  # of a reference's best logit over its second: rounding can't turn the two around
TEXTS = (
    "def area(width, height):\n    return width * height\n\n\nclass Shape:\n    def __init__(self, name):\n"
    "        self.name = name\n",
    "for index in range(10):\n    print(index, 'é', \"→\")\n",
)


def make_tiny(
    folder: Path, family: str, vocabulary: int = NO_MERGES, is_endless: bool = False, **shape: object
) -> Path:
    """A checkpoint with random weights that writes ASCII: tokens with other bytes get the logit 0, far below the best.

    is_endless: so does the stop token.
    """
    chosen = {"hidden": 48, "intermediate": 96, "head_dim": 12, "weight_scale": 0.3, "is_tied": False, **shape}
    make_checkpoint(folder, Shape(family=family, vocabulary=vocabulary, **chosen), TEXTS)  # type: ignore[arg-type]
    target = Target.load(folder)
    with torch.no_grad():
        for token in range(target.codec.num_tokens):
            piece = target.codec.piece(token)
            is_plain = all(byte in b"\n" or 0x20 <= byte < 0x7F for byte in piece)
            is_stop = token in target.stop_tokens and not is_endless
            if not is_plain or (not piece and not is_stop):
                target.model.get_output_embeddings().weight[token] = 0.0
    target.model.save_pretrained(folder)
    return folder


@dataclass(frozen=True)
class Tiny:
    """A target and the same model once more for transformers' own `generate`."""

    target: Target
    reference: PreTrainedModel

    @classmethod
    def load(cls, folder: Path) -> Tiny:
        return cls(Target.load(folder), AutoModelForCausalLM.from_pretrained(folder, attn_implementation="sdpa").eval())

    @property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(
            self.target.codec, self.target.stop_tokens, len(self.target.model.get_input_embeddings().weight)
        )

    def engine(
        self, settings: EngineSettings | None = None, runner: Runner | None = None, costs: CostTable | None = None
    ) -> Engine:
        settings = settings or EngineSettings(num_slots=16, slot_len=1024, min_slot_len=16)
        runner = runner or ModelRunner(self.target, settings)
        return Engine(runner, self.vocabulary, settings, costs or CostTable(FLAT_COSTS))

    def greedy(self, prompt: tuple[int, ...], num_tokens: int) -> tuple[tuple[int, ...], float]:
        """What `generate(do_sample=False)` writes, and the smallest margin of its choices."""
        with torch.inference_mode():
            output = self.reference.generate(
                torch.tensor([prompt]),
                do_sample=False,
                max_new_tokens=num_tokens,
                output_scores=True,
                return_dict_in_generate=True,
            )
        best = torch.stack(output.scores)[:, 0].topk(2).values
        return tuple(output.sequences[0, len(prompt) :].tolist()), float((best[:, 0] - best[:, 1]).min())


def own_tokens(runner: Runner, appends: Sequence[Append]) -> list[list[int]]:
    """The target's own token for every row of each append, once it is seen that the verdicts say the same."""
    asked = [replace(append, needs_own=True) for append in appends]
    verdicts = runner.append(asked)
    for append, verdict in zip(appends, verdicts, strict=True):
        assert (verdict is None) == (append.num_rows == 0)
        assert verdict is None or verdict == Verdict.of(verdict.own, append.draft)
    return [list(verdict.own) if verdict else [] for verdict in verdicts]


def run(engine: Engine, request: DecodeRequest) -> DecodeResult:
    """The request's result, decoded in this thread."""
    handle = engine.submit(request)
    while engine.step():
        pass
    return handle.result(0)
