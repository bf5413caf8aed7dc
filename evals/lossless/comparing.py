"""The same requests by transformers and by every way in which the engine can decode a model."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from fastedit.decode import DecodeRequest, Engine, EngineSettings, Sampling
from fastedit.decode.api import fused_runner, make_runner, vocabulary_of
from fastedit.decode.controller import CostTable
from fastedit.decode.devices import has_kernels
from fastedit.decode.fused import can_fuse
from fastedit.decode.runner import ModelRunner, Runner
from fastedit.decode.verify import gumbel, kept_tokens
from fastedit.draft import Draft, Kind
from fastedit.targets import Target

if TYPE_CHECKING:
    from transformers import PreTrainedModel

FLAT_COSTS = {1: 1.0, 2**16: 1.0}  # every pass costs the same, so all that is allowed is drafted
PROMPT_TOKENS = (1, 180)
CHUNKS = (1, 2, 3, 7, 16, 33, 64, 256)
SAMPLINGS = (Sampling(), Sampling(temperature=0.8, seed=5), Sampling(), Sampling(temperature=1.1, top_k=40, top_p=0.9))
CLOSE = {torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}  # of the logits' size: too close to call


@dataclass(frozen=True, slots=True)
class Written:
    """What transformers writes after a prompt. margins: of each choice over the second best, by the logits' size."""

    prompt: tuple[int, ...]
    sampling: Sampling
    tokens: tuple[int, ...]
    margins: tuple[float, ...]


@dataclass(slots=True)
class Tally:
    """How many outputs of a way were the same, differed first where it was too close to call, or were wrong."""

    identical: int = 0
    close: int = 0
    wrong: int = 0
    first_wrong: str = ""

    def add(self, written: Written, tokens: tuple[int, ...], closeness: float) -> None:
        if tokens == written.tokens:
            self.identical += 1
            return
        at = next((i for i, (a, b) in enumerate(zip(tokens, written.tokens, strict=False)) if a != b), -1)
        if at >= 0 and written.margins[at] < closeness:
            self.close += 1
            return
        self.wrong += 1
        where = f"token {at} of {len(written.tokens)}" if at >= 0 else "its length"
        self.first_wrong = self.first_wrong or f"differs at {where}, {len(written.prompt)} prompt tokens"


@dataclass(slots=True)
class _Choosing:
    """A logits processor of `generate` that leaves only the choice that FastEdit's sampling makes of the logits."""

    sampling: Sampling
    margins: list[float] = field(default_factory=list)

    def __call__(self, tokens: Tensor, logits: Tensor) -> Tensor:
        scores = logits.float()
        if not self.sampling.is_greedy:
            scores = scores / self.sampling.temperature
            scores = scores.masked_fill(~kept_tokens(scores, self.sampling), float("-inf"))
            position = torch.tensor([tokens.shape[1]], device=logits.device)
            scores = scores + gumbel(self.sampling.seed, position, torch.arange(logits.shape[-1], device=logits.device))
        best = scores.topk(2).values[0]
        self.margins.append(float((best[0] - best[1]) / logits.abs().max().clamp(min=1e-6)))
        chosen = scores.argmax(dim=-1, keepdim=True)
        return torch.full_like(logits, float("-inf")).scatter_(-1, chosen, 0.0)


def reference_model(folder: Path, target: Target) -> PreTrainedModel:
    """The target's model once more, which the engine never touches."""
    from transformers import AutoModelForCausalLM

    load: Any = AutoModelForCausalLM.from_pretrained
    model: PreTrainedModel = load(folder, dtype=target.dtype, local_files_only=True).to(target.device).eval()
    return model


def written_by(model: PreTrainedModel, target: Target, count: int, num_tokens: int) -> list[Written]:
    """What transformers' `generate` writes after random prompts, greedily and sampled by turns."""
    chance = random.Random(count)
    num_ids = min(target.codec.num_tokens, vocabulary_of(target).num_ids)
    references = []
    for sampling in islice(cycle(SAMPLINGS), count):
        prompt = tuple(chance.randrange(num_ids) for _ in range(chance.randint(*PROMPT_TOKENS)))
        references.append(_written(model, target, prompt, sampling, num_tokens))
    return references


@torch.inference_mode()
def _written(
    model: PreTrainedModel, target: Target, prompt: tuple[int, ...], sampling: Sampling, num_tokens: int
) -> Written:
    from transformers import GenerationConfig, LogitsProcessorList

    choosing: Any = _Choosing(sampling)
    make_config: Any = GenerationConfig
    generate: Any = model.generate
    output = generate(
        torch.tensor([prompt], device=target.device),
        attention_mask=torch.ones(1, len(prompt), dtype=torch.long, device=target.device),
        generation_config=make_config(
            do_sample=False, max_new_tokens=num_tokens, eos_token_id=list(target.stop_tokens) or None, pad_token_id=0
        ),
        logits_processor=LogitsProcessorList([choosing]),
    )
    return Written(prompt, sampling, tuple(output[0, len(prompt) :].tolist()), tuple(choosing.margins))


def requests_for(written: Written, target: Target, num_tokens: int, chance: random.Random) -> Iterator[DecodeRequest]:
    """Requests for one output, with drafts that are right, partly right, misleading and absent."""
    text = target.codec.text(list(written.tokens))
    swapped = list(text)
    for _ in range(3 if text else 0):
        swapped[chance.randrange(len(swapped))] = chance.choice("xyz(\n é")
    kinds = (
        (Draft(text),),
        (Draft("".join(swapped), Kind.ORIGINAL), Draft(text[1:] + text, Kind.ORIGINAL)),
        (Draft("".join(chance.choices("abc \n(){}é→", k=120))),),
        (),
    )
    plain = DecodeRequest(written.prompt, num_tokens, sampling=written.sampling)
    for drafts in chance.sample(kinds, 3):
        yield replace(
            plain, drafts=drafts, snippets=(text[4:14] + "\n",), original=text, max_chunk=chance.choice(CHUNKS)
        )


def ways_of(target: Target, slots: int) -> Iterator[tuple[str, Callable[[], Runner]]]:
    """(name, how its runner is made) for each way that this machine can decode the target in."""
    settings = EngineSettings(num_slots=slots, slot_len=min(512, target.max_positions), min_slot_len=16)
    exact = replace(settings, is_exact=True)
    if target.device.type != "cpu":
        yield "engine", lambda: make_runner(target, settings)
        yield "exact", lambda: make_runner(target, exact)
        return
    yield "module", lambda: ModelRunner(target, settings, is_light=False)
    if can_fuse(target.model):
        yield "plain", lambda: ModelRunner(target, settings, is_light=True)
        if has_kernels():
            yield "fused", lambda: fused_runner(target, settings)
            yield "exact", lambda: fused_runner(target, exact)


def compare(target: Target, references: list[Written], runner: Runner, num_tokens: int) -> Tally:
    """All the references' requests through one runner, in batches of as many as it has slots and some alone."""
    settings = EngineSettings(num_slots=runner.num_slots, pass_tokens=random.Random(0).choice((128, 512)))
    engine = Engine(runner, vocabulary_of(target), settings, CostTable(FLAT_COSTS))
    chance, tally = random.Random(1), Tally()
    closeness = CLOSE.get(target.dtype, 3e-2)
    waiting = [
        (written, request) for written in references for request in requests_for(written, target, num_tokens, chance)
    ]
    chance.shuffle(waiting)
    while waiting:
        batch = [waiting.pop() for _ in range(min(len(waiting), chance.choice((1, 3, runner.num_slots))))]
        handles = [engine.submit(request) for _, request in batch]
        while engine.step():
            pass
        for (written, _), handle in zip(batch, handles, strict=True):
            tally.add(written, handle.result(0).tokens, closeness)
    return tally
