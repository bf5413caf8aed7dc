"""One operation: append K tokens to each of N slots, and say how far the target goes along with them.

Prefill chunks, drafts and single tokens are all that. Nothing is remembered between passes but the rows of the slots;
how many of them count is the caller's business, so rolling back costs nothing and a failed pass leaves no trace.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import accumulate, chain, islice, pairwise
from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch import Tensor

from fastedit.decode.attention import SlotsPass, Span
from fastedit.decode.cache import CacheShape, KVSlots, plan_slots
from fastedit.decode.devices import LARGEST_BYTES, Shares, has_kernels, is_out_of_memory, on_device, release_memory
from fastedit.decode.fused import PlainDecoder, can_fuse, fuse
from fastedit.decode.passes import Append, Verdict, wanted_rows
from fastedit.decode.probe import Traits, base_of, difference, traits_of, unsupported
from fastedit.decode.settings import EngineSettings
from fastedit.decode.verify import FewWidthsChooser, TokenChooser, repeated_width

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from fastedit.targets import Target

logger = logging.getLogger(__name__)

DEFAULT_CACHE_BYTES = 2**30  # on a CPU; a GPU gives a share of what is free
GPU_CACHE_SHARE = 0.8


class Runner(Protocol):
    """Runs passes of one target over its own KV slots."""

    @property
    def num_slots(self) -> int:
        """Requests that it can hold at once."""

    @property
    def slot_len(self) -> int:
        """Tokens of one slot; a longer request takes several side by side, and is run as the first of them."""

    @property
    def max_len(self) -> int:
        """Tokens that one request can have in all."""

    @property
    def fallbacks(self) -> tuple[str, ...]:
        """Names of the parts that run slower than this device could, with the reasons."""

    @property
    def step_widths(self) -> tuple[int, ...]:
        """Widths between which a pass costs what the next one does; none where it costs more with every token."""

    def append(self, appends: Sequence[Append]) -> list[Verdict | None]:
        """The target's verdict on each append's draft; None for one without rows."""

    def copy_prefix(self, source: int, destination: int, length: int) -> None:
        """Make the first `length` tokens of one slot those of another."""

    def move(self, slot: int, source: int, destination: int, length: int) -> None:
        """Make `length` tokens of a slot, from `destination` on, those that it has from `source` on."""

    def release_memory(self) -> None:
        """Give back what can be given back, after memory ran out."""


class SlotRunner:
    """The part of a runner that only has to do with its slots, which are those of `cache`.

    fallbacks: as for `Runner`; more may come while it runs.
    """

    def __init__(self, cache: KVSlots, fallbacks: tuple[str, ...] = ()) -> None:
        self._cache = cache
        self._device = cache.device
        self._fallbacks = fallbacks

    @property
    def num_slots(self) -> int:
        return self._cache.num_slots

    @property
    def slot_len(self) -> int:
        return self._cache.slot_len

    @property
    def cache_bytes(self) -> int:
        return self._cache.num_bytes

    @property
    def fallbacks(self) -> tuple[str, ...]:
        return self._fallbacks

    def copy_prefix(self, source: int, destination: int, length: int) -> None:
        self._cache.copy_prefix(source, destination, length)

    def move(self, slot: int, source: int, destination: int, length: int) -> None:
        self._cache.move(slot, source, destination, length)

    def release_memory(self) -> None:
        release_memory(self._device)


class ModelRunner(SlotRunner):
    """Any Hugging Face causal LM, through the registered attention function.

    use_kernels: None where there are kernels and a GPU. is_light: None for a small target on a CPU; such a one is
    computed by a `PlainDecoder` where its family has one, and passes of many requests are shared by the cores.
    fallbacks: what was given up before.
    EngineUnavailable(TARGET_UNAVAILABLE) for a model whose own logits it doesn't reproduce.
    """

    def __init__(
        self,
        target: Target,
        settings: EngineSettings,
        use_kernels: bool | None = None,
        is_light: bool | None = None,
        fallbacks: tuple[str, ...] = (),
    ) -> None:
        model = target.model
        traits = traits_of(model)
        num_slots, slot_len = slots_for(target, traits.shape, settings)
        super().__init__(KVSlots(traits.shape, num_slots, slot_len, model.device), (*target.notes, *fallbacks))
        self._max_len = max_len_of(target, num_slots, slot_len)
        self._base = base_of(model)
        self._windows = traits.windows
        if settings.is_exact:
            self._fallbacks += ("not exact to the last bit: only the fused decoder runs every pass at one width",)
        is_gpu = self._device.type == "cuda"
        self._uses_kernels = is_gpu and has_kernels() if use_kernels is None else use_kernels
        if is_gpu and not has_kernels():
            self._fallbacks += ("attention in plain torch: fastedit_kernels isn't installed",)
        head: Any = model.get_output_embeddings()  # type: ignore[no-untyped-call]
        self._has_few_widths = self._device.type == "cpu"
        make_chooser = FewWidthsChooser if self._has_few_widths else TokenChooser
        self._chooser = make_chooser(head, traits.num_ids, traits.logits_end)
        if is_light is None:
            is_light = self._device.type == "cpu" and not self._uses_kernels and _num_bytes(model) <= LARGEST_BYTES
        self._shares = Shares(torch.get_num_threads() if is_light else 1)
        self._plain: PlainDecoder | None = None
        self._check(model, traits)
        if is_light and can_fuse(model):
            self._plain = PlainDecoder(fuse(model, self._max_len))
            if off := self._difference(traits):
                self._plain = None
                self._fallbacks += (f"no plain decoder: its logits differ from the model's by {off:.2g} of their size",)

    @property
    def max_len(self) -> int:
        return self._max_len

    @property
    def step_widths(self) -> tuple[int, ...]:
        return ()

    def append(self, appends: Sequence[Append]) -> list[Verdict | None]:
        trunks = [index for index, append in enumerate(appends) if not append.is_branch]
        groups = [appends[start:end] for start, end in pairwise((*trunks, len(appends)))]  # with their branches
        shares = self._shares.divided([sum(len(append.tokens) for append in group) for group in groups])
        if len(shares) == 1:
            return self._append(appends)
        parts = self._shares.run(lambda share: self._append([*chain(*(groups[index] for index in share))]), shares)
        of_groups: dict[int, list[Verdict | None]] = {}
        for share, part in zip(shares, parts, strict=True):
            verdicts = iter(part)
            of_groups |= {index: list(islice(verdicts, len(groups[index]))) for index in share}
        return [*chain(*(of_groups[index] for index in range(len(groups))))]

    @torch.inference_mode()
    def _append(self, appends: Sequence[Append]) -> list[Verdict | None]:
        with on_device(self._device):
            hidden = self._hidden_with_fallback(appends)
            wanted = wanted_rows(appends)
            if len(wanted) < len(hidden) or any(append.is_branch for append in appends):
                hidden = hidden[torch.tensor(wanted, dtype=torch.long, device=self._device)]
            return self._chooser.verify(hidden, appends)

    def _hidden_with_fallback(self, appends: Sequence[Append]) -> Tensor:
        """`_hidden`; where a kernel fails, kernels are given up for good and the pass is run again without."""
        try:
            return self._hidden(appends)
        except Exception as error:  # Triton's are of no common kind
            if not self._uses_kernels or is_out_of_memory(error):
                raise
            logger.exception("the attention kernels failed; plain torch takes over")
            self._give_up_kernels(f"{type(error).__name__}: {error}")
        return self._hidden(appends)

    def _give_up_kernels(self, reason: str) -> None:
        self._uses_kernels = False
        self._fallbacks += (f"attention in plain torch: {reason}",)

    def _hidden(self, appends: Sequence[Append]) -> Tensor:
        """The last hidden states of all packed tokens, after the final norm: [T, D]."""
        tokens = [token for append in appends for token in append.tokens]
        positions = [append.length + index for append in appends for index in range(len(append.tokens))]
        num_tokens = len(tokens)
        if self._has_few_widths and not self._uses_kernels:  # kernels know of no rows but the spans'
            unused = [0] * (repeated_width(num_tokens) - num_tokens)
            tokens, positions = tokens + unused, positions + unused
        slots_pass = self._slots_pass(appends)
        if self._plain is not None:
            return self._plain.hidden(torch.tensor(tokens), torch.tensor(positions), slots_pass)[:num_tokens]
        output = self._base(
            input_ids=torch.tensor([tokens], device=self._device),
            position_ids=torch.tensor([positions], device=self._device),
            use_cache=False,
            slots_pass=slots_pass,
        )
        hidden: Tensor = output.last_hidden_state[0, :num_tokens]
        return hidden

    def _slots_pass(self, appends: Sequence[Append]) -> SlotsPass:
        bounds = [0, *accumulate(len(append.tokens) for append in appends)]
        spans = tuple(
            Span(append.slot, append.length, start, end, append.offset)
            for append, start, end in zip(appends, bounds, bounds[1:], strict=False)
        )
        if not self._uses_kernels:
            return SlotsPass(self._cache, spans, self._windows)
        slots, lengths, offsets = zip(*((span.slot, span.length, span.offset) for span in spans), strict=True)
        cu_seqlens, on_slots, on_lengths, on_offsets = (
            torch.tensor(numbers, dtype=torch.int32, device=self._device)
            for numbers in (bounds, slots, lengths, offsets)
        )
        return SlotsPass(self._cache, spans, self._windows, cu_seqlens, on_slots, on_lengths, on_offsets)

    def _check(self, model: PreTrainedModel, traits: Traits) -> None:
        """EngineUnavailable(TARGET_UNAVAILABLE) for a model that it computes otherwise; kernels are given up before."""
        try:
            off = self._difference(traits)
            if off and self._uses_kernels:
                self._give_up_kernels(f"the kernels' logits differ by {off:.2g} of their size")
                off = self._difference(traits)
        except (RuntimeError, ValueError, TypeError) as error:
            if is_out_of_memory(error):
                raise
            model.set_attn_implementation(traits.attention_before)
            raise unsupported(model, f"{type(error).__name__}: {error}") from error
        if off:
            model.set_attn_implementation(traits.attention_before)
            raise unsupported(model, f"its logits come out differently, by {off:.2g} of their size")

    @torch.inference_mode()
    def _difference(self, traits: Traits) -> float:
        """By how much of their size its logits miss the model's own; see `probe.difference`."""
        return difference(
            traits,
            lambda parts: self._hidden_with_fallback([Append(*part, num_rows=0) for part in parts]),
            self._chooser.logits,
            self.num_slots,
            self.slot_len,
        )


def slots_for(target: Target, shape: CacheShape, settings: EngineSettings) -> tuple[int, int]:
    """(slots, tokens a slot) that the settings and the target's device allow; see `plan_slots`."""
    return plan_slots(
        shape,
        settings.cache_bytes or default_cache_bytes(target.device),
        settings.num_slots,
        settings.slot_len,
        settings.min_slot_len,
        target.max_positions,
    )


def max_len_of(target: Target, num_slots: int, slot_len: int) -> int:
    """Tokens that a request can have: all slots, or as many as the target was made for."""
    return min(num_slots * slot_len, target.max_positions)


def default_cache_bytes(device: torch.device) -> int:
    if device.type != "cuda":
        return DEFAULT_CACHE_BYTES
    free, _ = torch.cuda.mem_get_info(device)
    return int(GPU_CACHE_SHARE * free)


def _num_bytes(model: PreTrainedModel) -> int:
    return sum(parameter.nbytes for parameter in model.parameters())
