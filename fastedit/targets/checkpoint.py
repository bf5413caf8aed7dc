"""Checks that a folder is a checkpoint before it is loaded, so that an error names the file that is at fault."""

from __future__ import annotations

import json
from pathlib import Path

from fastedit.errors import Code, EngineUnavailable

STATIC_ROPE = ("default", "linear", "yarn", "llama3")


def check_checkpoint(folder: Path) -> None:
    """Raises EngineUnavailable(TARGET_UNAVAILABLE), naming what is missing or broken, unless all is there and whole."""
    check_tokenizer(folder)
    for weights in _weight_files(folder):
        _check_weights(weights)
    _check_rope(_json_of(folder, "config.json"))


def check_tokenizer(folder: Path) -> None:
    """Raises EngineUnavailable(TARGET_UNAVAILABLE) unless there is all that a target is asked with; weights apart."""
    if not folder.is_dir():
        raise _refused(f"{folder.name} is not a folder.")
    _json_of(folder, "config.json")
    if not (folder / "tokenizer.json").is_file():
        raise _refused(f"{folder.name} has no tokenizer.json.")


def stop_tokens_of(configured: object, own: int | None) -> tuple[int, ...]:
    """The tokens that end an output, the tokenizer's own first: a draft ends with it.

    configured: the `eos_token_id` of a model's configuration: an id, several, or None.
    """
    stops = configured if isinstance(configured, list) else [] if configured is None else [configured]
    if not stops and own is not None:
        return (own,)
    return tuple(sorted(stops, key=lambda token: token != own))


def quantization_of(folder: Path) -> str | None:
    """The method by which a checkpoint's weights are quantised ("gptq", "fp8"), or None."""
    quantization = _json_of(folder, "config.json").get("quantization_config")
    return str(quantization.get("quant_method", "unnamed")) if isinstance(quantization, dict) else None


def _weight_files(folder: Path) -> list[Path]:
    single = folder / "model.safetensors"
    if single.is_file():
        return [single]
    if (folder / "model.safetensors.index.json").is_file():
        index = _json_of(folder, "model.safetensors.index.json")
        places = index.get("weight_map")
        names = sorted(set(places.values())) if isinstance(places, dict) else []
        missing = [name for name in names if not (folder / name).is_file()]
        if names and not missing:
            return [folder / name for name in names]
        raise _refused(f"{folder.name} lacks {', '.join(missing) or 'the weights that its index should name'}.")
    if any(folder.glob("*.bin")) or any(folder.glob("*.pt")):
        raise _refused(f"{folder.name} has pickled weights; only safetensors are read, since a pickle can run code.")
    raise _refused(f"{folder.name} has no model.safetensors.")


def _check_weights(path: Path) -> None:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as weights:
            weights.keys()
    except (SafetensorError, OSError) as error:
        raise _refused(f"{path.name} is cut off or damaged: {error}") from error


def _check_rope(config: dict[str, object]) -> None:
    # A rotation that changes with the longest sequence of a batch would make a request's output depend on the others.
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    kind = rope.get("rope_type", rope.get("type", "default")) if isinstance(rope, dict) else "default"
    if kind not in STATIC_ROPE:
        raise _refused(f"The target's rotary embedding {kind!r} changes with the sequence's length; not supported.")


def _json_of(folder: Path, name: str) -> dict[str, object]:
    path = folder / name
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise _refused(f"{folder.name} has no {name}.") from error
    except ValueError as error:
        raise _refused(f"{name} in {folder.name} is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise _refused(f"{name} in {folder.name} is no JSON object.")
    return data


def _refused(message: str) -> EngineUnavailable:
    return EngineUnavailable(Code.TARGET_UNAVAILABLE, message)
