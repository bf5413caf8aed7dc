"""Tiny checkpoints made of the embedded target, for what vLLM has besides look-ups. None of them is trained."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from fastedit.targets.default import EMBEDDED_FOLDER

DRAFT_LAYERS = 2
NUM_HEADS = 4
EAGLE3_LAYERS = [1, 3, 5]
Weights = dict[str, torch.Tensor]


def make(kind: str, folder: Path) -> Path:
    """Writes the checkpoint of one of KINDS into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    config = json.loads((EMBEDDED_FOLDER / "config.json").read_bytes())
    weights = load_file(EMBEDDED_FOLDER / "model.safetensors")
    made_config, made = KINDS[kind](config, weights)
    for name in ("tokenizer.json", "tokenizer_config.json", "generation_config.json"):
        shutil.copy(EMBEDDED_FOLDER / name, folder)
    (folder / "config.json").write_text(json.dumps(made_config, indent=1), "utf-8")
    save_file({name: tensor.contiguous() for name, tensor in made.items()}, folder / "model.safetensors")
    return folder


def _first_layers(config: dict[str, Any], weights: Weights) -> tuple[dict[str, Any], Weights]:
    """The target's first layers with its own embeddings: a draft model that guesses, and costs a third."""
    kept = {name: tensor for name, tensor in weights.items() if _layer_of(name) < DRAFT_LAYERS}
    types = config["layer_types"][:DRAFT_LAYERS]
    return config | {"num_hidden_layers": DRAFT_LAYERS, "layer_types": types}, kept


def _medusa(config: dict[str, Any], weights: Weights) -> tuple[dict[str, Any], Weights]:
    """Heads that all say what the target's own says."""
    hidden = config["hidden_size"]
    made: Weights = {}
    for head in range(NUM_HEADS):
        made[f"medusa_heads.{head}.0.linear.weight"] = torch.zeros(hidden, hidden, dtype=torch.bfloat16)
        made[f"medusa_heads.{head}.1.weight"] = weights["model.embed_tokens.weight"].clone()
    return {
        "model_type": "medusa",
        "architectures": ["MedusaModel"],
        "hidden_size": hidden,
        "vocab_size": config["vocab_size"],
        "num_heads": NUM_HEADS,
        "num_hidden_layers": 1,
        "dtype": "bfloat16",
    }, made


def _eagle(config: dict[str, Any], weights: Weights) -> tuple[dict[str, Any], Weights]:
    """A layer that passes the target's hidden state on: its own last word once more."""
    hidden = config["hidden_size"]
    # vLLM leaves out what a first layer would do to its input.
    made = {name: tensor for name, tensor in _silent_layer(weights).items() if "input_layernorm" not in name}
    made["embed_tokens.weight"] = weights["model.embed_tokens.weight"]
    made["fc.weight"] = torch.cat([torch.zeros(hidden, hidden), torch.eye(hidden)], 1).to(torch.bfloat16)
    return _llama(config), made


def _eagle3(config: dict[str, Any], weights: Weights) -> tuple[dict[str, Any], Weights]:
    """The same with the hidden states of three of the target's layers, of which it passes the last on."""
    hidden = config["hidden_size"]
    made = {name.replace("layers.0.", "midlayer."): tensor for name, tensor in _silent_layer(weights).items()}
    for name in ("q", "k", "v"):  # they see the token beside the hidden state
        weight = made[f"midlayer.self_attn.{name}_proj.weight"]
        made[f"midlayer.self_attn.{name}_proj.weight"] = torch.cat([torch.zeros_like(weight), weight], 1)
    made["midlayer.hidden_norm.weight"] = made["midlayer.input_layernorm.weight"].clone()
    made["norm.weight"] = weights["model.norm.weight"]
    made["lm_head.weight"] = weights["model.embed_tokens.weight"]
    made["fc.weight"] = torch.cat([torch.zeros(hidden, 2 * hidden), torch.eye(hidden)], 1).to(torch.bfloat16)
    return _llama(config) | {
        "draft_vocab_size": config["vocab_size"],
        "tie_word_embeddings": False,
        # vLLM's own choice of three layers takes one twice where there are six.
        "eagle_aux_hidden_state_layer_ids": EAGLE3_LAYERS,
    }, made


def _silent_layer(weights: Weights) -> Weights:
    """The target's first layer as a Llama has it, adding nothing to its input; names from `layers` on."""
    layer = {
        name: torch.zeros_like(tensor) if name.endswith(("o_proj.weight", "down_proj.weight")) else tensor
        for name, tensor in weights.items()
        if _layer_of(name) == 0 and "q_norm" not in name and "k_norm" not in name
    }
    return {name.removeprefix("model."): tensor for name, tensor in layer.items()}


def _llama(config: dict[str, Any]) -> dict[str, Any]:
    """A Llama of one layer in the target's sizes."""
    known = {"hidden_size", "intermediate_size", "num_attention_heads", "num_key_value_heads", "head_dim", "vocab_size"}
    shared = known | {"max_position_embeddings", "rms_norm_eps", "tie_word_embeddings", "dtype", "hidden_act"}
    return {name: config[name] for name in sorted(shared)} | {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "num_hidden_layers": 1,
        "rope_parameters": config["rope_parameters"],
    }


def _mlp_speculator(config: dict[str, Any], weights: Weights) -> tuple[dict[str, Any], Weights]:
    hidden, words = config["hidden_size"], weights["model.embed_tokens.weight"]
    made: Weights = {}
    for head in range(NUM_HEADS):
        made |= {
            f"speculator.emb.{head}.weight": words.clone(),
            f"speculator.head.{head}.weight": words.clone(),
            f"speculator.proj.{head}.weight": torch.eye(hidden, dtype=torch.bfloat16),
            f"speculator.ln.{head}.weight": torch.ones(hidden, dtype=torch.bfloat16),
            f"speculator.ln.{head}.bias": torch.zeros(hidden, dtype=torch.bfloat16),
        }
    return {
        "model_type": "mlp_speculator",
        "architectures": ["MLPSpeculatorPreTrainedModel"],
        "emb_dim": hidden,
        "vocab_size": config["vocab_size"],
        "n_predict": NUM_HEADS,
        "top_k_tokens_per_head": [1] * NUM_HEADS,
        "dtype": "bfloat16",
    }, made


def _int8(config: dict[str, Any], weights: Weights) -> tuple[dict[str, Any], Weights]:
    """The target with 8-bit weights and activations, as compressed-tensors writes them."""
    made: Weights = {}
    for name, tensor in weights.items():
        if not name.endswith("_proj.weight"):
            made[name] = tensor
            continue
        scale = tensor.float().abs().amax(1, keepdim=True) / 127
        made[name] = (tensor.float() / scale).round().clamp(-127, 127).to(torch.int8)
        made[name.replace(".weight", ".weight_scale")] = scale
    numbers = {"num_bits": 8, "type": "int", "symmetric": True}
    group = {
        "targets": ["Linear"],
        "weights": numbers | {"strategy": "channel", "dynamic": False},
        "input_activations": numbers | {"strategy": "token", "dynamic": True},
    }
    quantization = {
        "quant_method": "compressed-tensors",
        "format": "int-quantized",
        "quantization_status": "compressed",
        "config_groups": {"group_0": group},
        "ignore": ["lm_head"],
    }
    return config | {"quantization_config": quantization}, made


def _layer_of(name: str) -> int:
    """The number of the layer that a tensor belongs to; -1 for one of none."""
    parts = name.split(".")
    return int(parts[parts.index("layers") + 1]) if "layers" in parts else -1


KINDS: dict[str, Callable[[dict[str, Any], Weights], tuple[dict[str, Any], Weights]]] = {
    "draft_model": _first_layers,
    "medusa": _medusa,
    "eagle": _eagle,
    "eagle3": _eagle3,
    "mlp_speculator": _mlp_speculator,
    "int8": _int8,
}
