"""A target: the model whose output counts, with its tokenizer and the way it was taught to be asked."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastedit.errors import Code, EngineUnavailable
from fastedit.targets.checkpoint import check_checkpoint, quantization_of, stop_tokens_of
from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.registry import folder_of, registered_as, template_of
from fastedit.targets.templates import Askable, PromptTemplate, check_template, read_word, template_named

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

logger = logging.getLogger(__name__)
SLOW_IN_BFLOAT16 = frozenset(("DEFAULT", "AVX2"))  # kinds of CPU without instructions for it
MAX_WIDENED = 2_000_000_000  # parameters of a model whose weights may take twice their room


@dataclass(frozen=True, eq=False, kw_only=True)
class Target(Askable):
    """A loaded model and everything needed to ask it."""

    tokenizer: PreTrainedTokenizerBase
    model: PreTrainedModel

    @classmethod
    def load(
        cls,
        name_or_path: str | Path,
        device: str = "auto",
        dtype: str | torch.dtype = "auto",
        *,
        template: PromptTemplate | str | None = None,
    ) -> Target:
        """A registered target, or any Hugging Face causal LM in a folder (or in the local hub cache).

        device: "auto" takes a GPU where there is one. dtype: "auto" takes the checkpoint's, but float32 instead of
        bfloat16 for models of at most `MAX_WIDENED` parameters on CPUs that are several times faster in it. template:
        None takes the registered one, the folder's own `fastedit.json`, or the generic chat one, in this order.
        Only safetensors are read, and no code that comes with the model is run.
        EngineUnavailable(TARGET_UNAVAILABLE), saying what is missing, where it can't be had.
        """
        folder = folder_of(name_or_path)
        check_checkpoint(folder)
        tokenizer = _load_tokenizer(folder)
        chosen = template_named(template) if isinstance(template, str) else template
        chosen = chosen or template_of(name_or_path, folder)
        check_template(chosen, tokenizer)
        codec = TokenizerCodec(tokenizer.backend_tokenizer)
        model = _load_model(folder, _device_named(device), dtype)
        registered = registered_as(name_or_path)
        return cls(
            name=str(name_or_path) if not isinstance(name_or_path, Path) else folder.name,
            model=model,
            tokenizer=tokenizer,
            codec=codec,
            template=chosen,
            stop_tokens=_stop_tokens(model, tokenizer),
            max_positions=int(getattr(model.config, "max_position_embeddings", 0)) or 2**31,
            only_verifies=registered is not None and registered.only_verifies,
            word=read_word(folder),
            notes=_notes(model, quantization_of(folder)),
        )

    @property
    def device(self) -> torch.device:
        return self.model.device

    @property
    def dtype(self) -> torch.dtype:
        return self.model.dtype


def _load_tokenizer(folder: Path) -> PreTrainedTokenizerBase:
    from transformers import AutoTokenizer

    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            folder, trust_remote_code=False, local_files_only=True
        )
    except (OSError, ValueError, KeyError) as error:
        raise _unavailable(f"The tokenizer in {folder.name} can't be loaded", error) from error
    return tokenizer


def _load_model(folder: Path, device: torch.device, dtype: str | torch.dtype) -> PreTrainedModel:
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging as transformers_logging

    # Where it can be, each weight is put on its device as it is read, so that the host never holds them all.
    is_quantized = quantization_of(folder) is not None
    is_placed = (is_quantized or device.type != "cpu") and find_spec("accelerate") is not None
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # of its own accord it writes to the caller's terminal
    try:
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            folder,
            dtype=dtype,
            use_safetensors=True,
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
            **({"device_map": {"": device}} if is_placed else {}),
        )
    except ImportError as error:
        how = f"The {quantization_of(folder) or 'unquantised'} model in {folder.name}"
        raise _unavailable(f"{how} needs a package that isn't installed", error) from error
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise _unavailable(f"The model in {folder.name} can't be loaded", error) from error
    model, report = loaded
    _check_report(report, folder)
    placed: PreTrainedModel = model.eval() if is_placed else model.to(device).eval()
    if dtype == "auto" and not is_quantized and _is_better_widened(placed):
        placed = placed.float()  # type: ignore[no-untyped-call]
        logger.info("%s is computed in float32: this CPU has no instructions for bfloat16", folder.name)
    return placed


def _is_better_widened(model: PreTrainedModel) -> bool:
    """Whether a model is quicker in float32, which holds its weights unchanged, and small enough for that."""
    import torch

    if model.dtype is not torch.bfloat16 or model.device.type != "cpu" or not is_slow_in_bfloat16():
        return False
    return model.num_parameters() <= MAX_WIDENED


@cache
def is_slow_in_bfloat16() -> bool:
    """Whether this machine's CPU has no instructions for bfloat16, so that torch computes in it many times slower."""
    import torch

    return torch.backends.cpu.get_cpu_capability() in SLOW_IN_BFLOAT16


def _notes(model: PreTrainedModel, quantization: str | None) -> tuple[str, ...]:
    if quantization is None or getattr(model, "is_quantized", False):
        return ()
    note = f"its {quantization} weights are expanded to {str(model.dtype).removeprefix('torch.')}"
    logger.warning("the model is computed with other numbers than it was made with: %s", note)
    return (note,)


def _check_report(report: dict[str, Any], folder: Path) -> None:
    """Raises EngineUnavailable where the files lack weights, which would be random numbers."""
    missing = sorted(str(key) for key in (*report["missing_keys"], *report["mismatched_keys"]))
    if missing:
        raise _unavailable(f"The weights in {folder.name} lack or misshape {len(missing)} tensors, first {missing[0]}")
    if report["unexpected_keys"]:
        logger.warning("%s has %d tensors that its model doesn't use", folder.name, len(report["unexpected_keys"]))


def _device_named(name: str) -> torch.device:
    import torch

    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise _unavailable(f"There is no device {name!r}", error) from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise _unavailable(f"The device {name!r} was asked for, and torch finds no GPU")
    return device


def _stop_tokens(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> tuple[int, ...]:
    """The tokens at which `generate` would stop, the tokenizer's own end token first."""
    own = tokenizer.eos_token_id
    configured = getattr(model.generation_config, "eos_token_id", None)
    return stop_tokens_of(configured, None if own is None else int(own))


def _unavailable(what: str, error: Exception | None = None) -> EngineUnavailable:
    reason = "" if error is None else f": {type(error).__name__}: {' '.join(str(error).split())}"
    return EngineUnavailable(Code.TARGET_UNAVAILABLE, f"{what}{reason}.")
