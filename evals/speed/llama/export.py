"""A Qwen3 checkpoint of Hugging Face's kind as one GGUF file for llama.cpp.

The tokenizer goes along as far as GGUF can say it: tokens, their types and the merges. llama.cpp knows pre-tokenizers
by name only, and a target's own pattern has none, so that text must be tokenised by the target; benchmarks feed ids.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import gguf
    from torch import Tensor

MATRICES = ("bf16", "f16", "f32", "q8_0")
NEAREST_PRE_TOKENIZER = "qwen2"


class ExportError(Exception):
    """The checkpoint can't be written as GGUF: it is of another architecture, or has what the export doesn't know."""


def export_gguf(checkpoint: Path, out: Path, matrices: str = "bf16") -> Path:
    """Write a folder's model and tokenizer to `out`, which is given back.

    matrices: what two-dimensional weights are stored as, one of MATRICES; norms are float32.
    ExportError for a checkpoint that isn't Qwen3 as published (other rotary embeddings, windows, biases).
    """
    import gguf

    if matrices not in MATRICES:
        raise ExportError(f"matrices must be one of {', '.join(MATRICES)}, not {matrices!r}")
    config = _read_json(checkpoint / "config.json")
    _check(config)
    writer = gguf.GGUFWriter(out, gguf.MODEL_ARCH_NAMES[gguf.MODEL_ARCH.QWEN3])
    try:
        _add_shape(writer, config)
        _add_tokenizer(writer, _read_json(checkpoint / "tokenizer.json"), config)
        _add_tensors(writer, checkpoint, config, gguf.GGMLQuantizationType[matrices.upper()])
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
    finally:
        writer.close()
    return out


def _check(config: dict[str, Any]) -> None:
    """ExportError where the graph that llama.cpp builds for Qwen3 would be another than this model's."""
    rope = _rope(config)
    oddities = {
        "model_type": config.get("model_type") != "qwen3",
        "attention_bias": bool(config.get("attention_bias")),
        "use_sliding_window": bool(config.get("use_sliding_window")),
        "hidden_act": config.get("hidden_act") != "silu",
        "rope_type": rope.get("rope_type", "default") != "default",
    }
    odd = [f"{name} is {(config | rope).get(name)!r}" for name, is_odd in oddities.items() if is_odd]
    if odd:
        raise ExportError(f"not a plain Qwen3 model: {', '.join(odd)}")


def _rope(config: dict[str, Any]) -> dict[str, Any]:
    """The rotary embeddings' parameters, wherever the version that saved the checkpoint put them."""
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    return {"rope_theta": config.get("rope_theta", 10_000.0), **rope}


def _add_shape(writer: gguf.GGUFWriter, config: dict[str, Any]) -> None:
    writer.add_name("target")
    writer.add_vocab_size(config["vocab_size"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(_rope(config)["rope_theta"])


def _add_tokenizer(writer: gguf.GGUFWriter, tokenizer: dict[str, Any], config: dict[str, Any]) -> None:
    import gguf

    if tokenizer["model"]["type"] != "BPE":
        raise ExportError(f"the tokenizer is {tokenizer['model']['type']}, not byte-level BPE")
    special = {token["id"]: token["content"] for token in tokenizer["added_tokens"]}
    contents = {token: content for content, token in tokenizer["model"]["vocab"].items()} | special
    ids = range(config["vocab_size"])
    kinds = gguf.TokenType
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(NEAREST_PRE_TOKENIZER)
    writer.add_token_list([contents.get(token, f"<|unused {token}|>") for token in ids])
    writer.add_token_types(
        [kinds.CONTROL if token in special else kinds.NORMAL if token in contents else kinds.UNUSED for token in ids]
    )
    writer.add_token_merges(
        [pair if isinstance(pair, str) else " ".join(pair) for pair in tokenizer["model"]["merges"]]
    )
    stops = config.get("eos_token_id")
    for stop in stops[:1] if isinstance(stops, list) else [stops] if stops is not None else []:
        writer.add_eos_token_id(stop)
    writer.add_add_bos_token(False)


def _add_tensors(
    writer: gguf.GGUFWriter, checkpoint: Path, config: dict[str, Any], matrices: gguf.GGMLQuantizationType
) -> None:
    import gguf

    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.QWEN3, config["num_hidden_layers"])
    for name, tensor in _tensors(checkpoint):
        if name == "lm_head.weight" and config.get("tie_word_embeddings"):
            continue  # llama.cpp takes the embeddings where there is no output matrix
        renamed = names.get_name(name, try_suffixes=(".weight",))
        if renamed is None:
            raise ExportError(f"Qwen3 has no tensor {name}")
        kind = matrices if tensor.dim() > 1 else gguf.GGMLQuantizationType.F32
        writer.add_tensor(renamed, gguf.quantize(tensor.float().numpy(), kind), raw_dtype=kind)


def _tensors(checkpoint: Path) -> Iterator[tuple[str, Tensor]]:
    from safetensors import safe_open

    paths = sorted(checkpoint.glob("*.safetensors"))
    if not paths:
        raise ExportError(f"{checkpoint.name} has no safetensors")
    for path in paths:
        with safe_open(path, framework="pt") as opened:
            for name in opened.keys():  # noqa: SIM118 - it is no mapping
                yield name, opened.get_tensor(name)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        read: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ExportError(f"{path.name} can't be read: {error}") from error
    return read
