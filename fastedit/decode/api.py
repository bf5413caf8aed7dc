"""The way in: an edit request for a target, decoded by an engine that all its requests share."""

from __future__ import annotations

import logging
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, finalize

from fastedit.decode.devices import has_kernels, is_out_of_memory, on_device, release_memory
from fastedit.decode.engine import Engine
from fastedit.decode.fused import can_fuse, fuse
from fastedit.decode.graphs import FusedRunner
from fastedit.decode.passes import Append
from fastedit.decode.probe import traits_of
from fastedit.decode.request import DecodeResult, EditHandle, EditRequest, Group, Handle, decode_request
from fastedit.decode.runner import ModelRunner, Runner, max_len_of, slots_for
from fastedit.decode.sequence import Vocabulary
from fastedit.decode.settings import EngineSettings
from fastedit.targets.loading import getting_ready

if TYPE_CHECKING:
    from fastedit.targets import Target

logger = logging.getLogger(__name__)

EXACT_PASS_TOKENS = 128  # the one width of exact passes, see `fastedit_kernels.modes`

_engines: WeakKeyDictionary[Target, Engine] = WeakKeyDictionary()
_engines_lock = threading.Lock()


def verify_draft(target: Target, request: EditRequest, engine: Engine | None = None) -> DecodeResult:
    """The new file as the target writes it, its drafts verified; the same text as plain decoding gives.

    engine: None for the one that all requests of this target share. EditRefused as its code says:
    TOO_LARGE (the request can't fit), TRUNCATION_DETECTED (the target didn't finish, or left out its closing tag),
    OVERLOADED, TIMEOUT, TARGET_UNAVAILABLE, ENGINE_ERROR.
    """
    return submit(target, request, engine).result()


def submit(target: Target, request: EditRequest, engine: Engine | None = None, group: Group | None = None) -> Handle:
    """Queue an edit request; the handle streams the new file's text and ends with what `verify_draft` gives.

    group: of requests that may wait a moment for one another, see `Engine.submit`.
    """
    engine = engine or shared_engine(target)
    return engine.submit(decode_request(target, request, engine.max_len), EditHandle(target, request), group)


def shared_engine(target: Target, settings: EngineSettings | None = None) -> Engine:
    """The target's engine, made and started when first asked for; `settings` count only then."""
    with _engines_lock:
        engine = _engines.get(target)
        if engine is None:
            with getting_ready(target.name):
                engine = _engines[target] = _made_apart(target, settings)
            engine.start()
            finalize(target, engine.close)  # or its thread would keep the model for good
        return engine


def _made_apart(target: Target, settings: EngineSettings | None) -> Engine:
    """`make_engine`, on a CPU by a thread of its own.

    What is measured there gives that thread a team of OpenMP threads, which goes when the thread does. A team left
    behind in the caller's thread would be one too many: with more threads in teams than cores libgomp stops waiting
    actively, and every operation waits for threads to wake up, which takes longer than most of a small target's do.
    """
    if target.device.type != "cpu":
        return make_engine(target, settings)
    with ThreadPoolExecutor(1, "fastedit-measure") as apart:
        return apart.submit(make_engine, target, settings).result()


def make_engine(target: Target, settings: EngineSettings | None = None) -> Engine:
    """An engine of its own for a target, not started: call `start`, or `step` by hand."""
    settings = settings or EngineSettings()
    if settings.is_exact:
        settings = replace(settings, pass_tokens=min(settings.pass_tokens, EXACT_PASS_TOKENS))
    return Engine(make_runner(target, settings), vocabulary_of(target), settings)


def make_runner(target: Target, settings: EngineSettings) -> Runner:
    """The fastest runner for the target's device: fused and in graphs where kernels and model allow it.

    Where the fused decoder doesn't run (an old GPU, an adapter), the module takes over, and `fallbacks` says so.
    """
    with on_device(target.device):
        if target.device.type != "cuda" or not has_kernels() or not can_fuse(target.model):
            return ModelRunner(target, settings)
        runner, reason = _fused_or_why_not(target, settings)
        if runner is not None:
            return runner
        release_memory(target.device)  # what the failed one had reserved
        return ModelRunner(target, settings, fallbacks=(reason,))


def _fused_or_why_not(target: Target, settings: EngineSettings) -> tuple[FusedRunner | None, str]:
    try:
        return fused_runner(target, settings), ""
    except Exception as error:  # Triton's are of no common kind
        if is_out_of_memory(error):
            raise
        # Its text alone: the traceback would keep the failed one's memory for as long as the record is kept.
        logger.error("the fused decoder doesn't run here: %s", traceback.format_exc())
        return None, f"no fused decoder: {type(error).__name__}: {error}"


def fused_runner(target: Target, settings: EngineSettings) -> FusedRunner:
    """The fused decoder's runner, which has been seen to give the model's own logits.

    ValueError where it doesn't: an adapter or a patch of the model that the weights know nothing of.
    """
    traits = traits_of(target.model)
    num_slots, slot_len = slots_for(target, traits.shape, settings)
    decoder = fuse(target.model, max_len_of(target, num_slots, slot_len))
    runner = FusedRunner(decoder, num_slots, slot_len, is_exact=settings.is_exact, use_graphs=settings.use_graphs)
    if off := runner.difference(traits):
        raise ValueError(f"its logits differ from the model's by {off:.2g} of their size")
    runner.append([Append(0, 0, [1, 1], 1)])
    return runner


def vocabulary_of(target: Target) -> Vocabulary:
    embeddings: Any = target.model.get_input_embeddings()
    return Vocabulary(target.codec, target.stop_tokens, len(embeddings.weight))
