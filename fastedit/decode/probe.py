"""Learns a model's traits by running it, and checks that the code that decodes it gives the model's own logits.

A model's config doesn't say reliably what its attention looks at: some families pass a sliding window on to their
attention, some only build a mask with one, and some layers aren't attention at all. So a few tokens go through the
model once while its layers are watched, and once more through whatever decodes it, in chunks, next to another request,
and beyond its windows where that doesn't take long. Whatever differs is refused with a reason, and not wrong text.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from fastedit.decode import attention
from fastedit.decode.attention import AttentionUnsupported, Seen, SlotsPass
from fastedit.decode.cache import CacheShape
from fastedit.decode.verify import AS_THEY_ARE, LogitsEnd
from fastedit.errors import Code, EngineUnavailable

if TYPE_CHECKING:
    from transformers import PreTrainedModel

PROBE_TOKENS = 64
BEYOND = 24  # tokens probed behind a window
WORK = {"cpu": 5e10, "cuda": 2e14}  # floating-point operations that a probe may take: about a second
CHUNKS = (0.15, 0.4, 0.8)  # where the probe is cut into chunks
ROWS = 64  # whose logits are compared, from both ends of the probe
# A row's logits may differ by so much of their size; of a few rows' any amount, since a rounding can choose an expert.
TOLERANCE = {torch.float32: 1e-3, torch.float16: 1e-2}
HALF_TOLERANCE = 3e-2
ODD_ROWS = 0.05
LOUD_LOGITS = 100.0  # a cap on logits shows where they are about so large
OTHER_ENGINE = "use fastedit serve --engine vllm"

HiddenOf = Callable[[Sequence[tuple[int, int, list[int]]]], Tensor]  # of (slot, length, tokens): [T, D]


@dataclass(frozen=True, slots=True)
class Traits:
    """Properties of a model that the code which decodes it depends on, and a probe to check that code with.

    shape: of its keys and values. windows: how far back each layer looks, None for all. num_ids: the logits of a token.
    logits_end: what the model does to its head's output. tokens: a probe's; logits: the model's own for its `rows`,
    float32 on the host. attention_before: the name of what its layers attended by.
    """

    shape: CacheShape
    windows: tuple[int | None, ...]
    num_ids: int
    logits_end: LogitsEnd
    tokens: list[int]
    rows: list[int]
    logits: Tensor
    attention_before: str


_known: WeakKeyDictionary[PreTrainedModel, Traits] = WeakKeyDictionary()


def unsupported(model: PreTrainedModel, reason: str) -> EngineUnavailable:
    family = model.config.model_type
    return EngineUnavailable(
        Code.TARGET_UNAVAILABLE,
        f"FastEdit's own engine can't run this {family} model: {' '.join(reason.split())}; {OTHER_ENGINE}.",
    )


@torch.inference_mode()
def traits_of(model: PreTrainedModel) -> Traits:
    """The model's traits. From now on its layers attend to the slots of the pass that they are given.

    EngineUnavailable(TARGET_UNAVAILABLE), saying why, for a model that the engine can't run.
    """
    if model.config._attn_implementation == attention.NAME and model in _known:
        return _known[model]
    head: Any = model.get_output_embeddings()  # type: ignore[no-untyped-call]
    if head is None:
        raise unsupported(model, "it has no output embeddings")
    before = model.config._attn_implementation
    try:
        with _quiet():
            seen = _watched(model)
            shape = _shape(seen)
            _attend_by(model, before)
            tokens = _tokens(model, _probe_length(model, seen.windows))
            rows = _rows(len(tokens))
            logits, logits_end = _own_logits(model, head, tokens, rows)
            _attend_by(model, attention.NAME)
    except Exception as error:
        with _quiet():
            model.set_attn_implementation(before)
        if isinstance(error, EngineUnavailable):
            raise
        reason = str(error) if isinstance(error, AttentionUnsupported) else f"{type(error).__name__}: {error}"
        raise unsupported(model, reason) from error
    windows = tuple(seen.windows[number] for number in sorted(seen.windows))
    traits = Traits(shape, windows, logits.shape[-1], logits_end, tokens, rows, logits, before)
    _known[model] = traits
    return traits


def difference(
    traits: Traits, hidden_of: HiddenOf, logits_of: Callable[[Tensor], Tensor], num_slots: int, slot_len: int
) -> float:
    """By how much of the logits' size what decodes a model misses its own; 0 where that may be rounding.

    The probe goes through the first slot in chunks, one of them next to another request's where there are two slots.
    """
    length = min(len(traits.tokens), slot_len)
    cuts = [0, *sorted({int(length * share) for share in CHUNKS} - {0, length}), length]
    parts = []
    for number, (start, end) in enumerate(pairwise(cuts)):
        pass_ = [(0, start, traits.tokens[start:end])]
        if number == 1 and num_slots > 1:
            pass_.insert(0, (1, 0, traits.tokens[: cuts[1]]))
        parts.append(hidden_of(pass_)[-(end - start) :])
    hidden = torch.cat(parts)
    kept = [index for index, row in enumerate(traits.rows) if row < length]
    ours = logits_of(hidden[torch.tensor([traits.rows[index] for index in kept], device=hidden.device)]).float().cpu()
    theirs = traits.logits[kept]
    size = (theirs - theirs.mean(dim=-1, keepdim=True)).square().mean(dim=-1).sqrt().clamp(min=1e-6)
    errors = (ours - theirs).square().mean(dim=-1).sqrt() / size
    errors = errors.nan_to_num(nan=float("inf"))
    typical = float(errors.sort(descending=True).values[int(ODD_ROWS * len(errors))])
    return typical if typical > TOLERANCE.get(traits.shape.dtype, HALF_TOLERANCE) else 0.0


def base_of(model: PreTrainedModel) -> Any:
    """The model without its head."""
    base: Any = model.base_model
    return base if base is not model else getattr(model, "model", base)


def _watched(model: PreTrainedModel) -> Seen:
    """Watches the layers attend to a few tokens. Leaves them attending in a way that is for watching only."""
    _attend_by(model, attention.WATCHING)
    tokens, seen = _tokens(model, PROBE_TOKENS), Seen()
    base_of(model)(
        input_ids=torch.tensor([tokens], device=model.device),
        position_ids=torch.arange(len(tokens), device=model.device)[None],
        use_cache=False,
        slots_pass=SlotsPass(None, (), seen=seen),
    )
    if not seen.shapes:
        raise AttentionUnsupported("none of its layers attends by transformers' interface")
    return seen


def _attend_by(model: PreTrainedModel, name: str) -> None:
    attention.register()
    model.set_attn_implementation(name)
    if model.config._attn_implementation != name:
        raise AttentionUnsupported("its attention can't be exchanged")


def _shape(seen: Seen) -> CacheShape:
    numbers, shapes = sorted(seen.shapes), set(seen.shapes.values())
    if numbers != list(range(len(numbers))):
        raise AttentionUnsupported("not all of its layers attend")
    if len(shapes) > 1:
        raise AttentionUnsupported("its layers have keys of different shapes")
    num_kv_heads, head_dim, value_dim, dtype = shapes.pop()
    return CacheShape(len(numbers), num_kv_heads, head_dim, dtype, value_dim)


def _tokens(model: PreTrainedModel, count: int) -> list[int]:
    vocabulary = max(2, model.config.get_text_config().vocab_size)
    chance = random.Random(0)
    return [chance.randrange(1, vocabulary) for _ in range(count)]


def _probe_length(model: PreTrainedModel, windows: dict[int, int | None]) -> int:
    """Beyond the windows where that can be afforded: what the masks say of longer ones has to do."""
    each = 2.0 * sum(parameter.numel() for parameter in model.parameters())
    affordable = WORK.get(model.device.type, WORK["cpu"]) / each
    context = getattr(model.config.get_text_config(), "max_position_embeddings", None) or 2**31
    beyond = [window + BEYOND for window in windows.values() if window is not None]
    fitting = [length for length in beyond if length <= min(affordable, context)]
    return max([min(PROBE_TOKENS, context), *fitting])


def _rows(length: int) -> list[int]:
    if length <= ROWS:
        return list(range(length))
    return [*range(ROWS // 2), *range(length - ROWS // 2, length)]


def _own_logits(
    model: PreTrainedModel, head: nn.Module, tokens: list[int], rows: list[int]
) -> tuple[Tensor, LogitsEnd]:
    """The model's own logits of some rows, float32 on the host, and how they come of the head's output."""
    own, plain = _through_head(model, head, tokens, rows)
    loud = 2.0 ** round(float(torch.log2(LOUD_LOGITS / plain.float().abs().max().clamp(min=1e-6))))
    loud_own, loud_plain = _through_head(model, head, tokens, rows[-4:], loud)
    config = model.config.get_text_config()
    end = LogitsEnd(
        factor=getattr(config, "logit_scale", None),
        divisor=getattr(config, "logits_scaling", None),
        cap=getattr(config, "final_logit_softcapping", None),
    )
    for ending in (AS_THEY_ARE, end):
        if all(_is_close(ending(before), after) for before, after in ((plain, own), (loud_plain, loud_own))):
            return own.float().cpu(), ending
    raise AttentionUnsupported("what it does to its logits isn't known")


def _is_close(one: Tensor, other: Tensor) -> bool:
    return bool(((one.float() - other.float()).abs().max() <= 1e-2 * other.float().abs().max()).item())


def _through_head(
    model: PreTrainedModel, head: nn.Module, tokens: list[int], rows: list[int], loud: float = 1.0
) -> tuple[Tensor, Tensor]:
    """(logits, the head's own output), each [R, V], of some rows; the head's input is made `loud` times as large."""
    kept: list[Tensor] = []
    wanted = torch.tensor(rows, device=model.device)
    hooks = (
        head.register_forward_pre_hook(lambda _, given: (given[0][:, wanted] * loud, *given[1:])),
        head.register_forward_hook(lambda _, __, output: kept.append(output[0].clone())),
    )
    try:
        logits: Tensor = model(input_ids=torch.tensor([tokens], device=model.device), use_cache=False).logits[0]
    finally:
        for hook in hooks:
            hook.remove()
    if len(kept) != 1 or kept[0].shape != logits.shape:
        raise AttentionUnsupported("its logits don't come of its output embeddings alone")
    return logits, kept[0]


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what transformers warns of: the refusal says it."""
    logger = logging.getLogger("transformers")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
