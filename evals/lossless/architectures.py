"""Tiny checkpoints with random weights of the architectures that users bring, made from transformers' own configs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import torch

from fastedit.targets.synthetic import SPECIAL_TOKENS, make_tokenizer

VOCABULARY = 256 + len(SPECIAL_TOKENS) + 60
WINDOW = 40  # shorter than most prompts, longer than a probe of a few tokens
TEXTS = (
    "def area(width, height):\n    return width * height\n\n\nclass Shape:\n    def __init__(self, name):\n"
    "        self.name = name\n",
    "for index in range(10):\n    print(index, 'é', \"→\")\n",
)
ABSENT = "absent"  # instead of a value in COMMON that a config has no room for
Options = Mapping[str, Any]
COMMON: Options = MappingProxyType(
    {
        "hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4,
        "num_key_value_heads": 2, "head_dim": 12, "max_position_embeddings": 512, "initializer_range": 0.3,
        "tie_word_embeddings": False, "bos_token_id": None, "attention_dropout": 0.0,
    }
)  # fmt: skip
EXPERTS: Options = MappingProxyType(
    {"num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
)
GPT: Options = MappingProxyType({"n_embd": 48, "n_layer": 3, "n_head": 4, "n_positions": 512, "n_inner": 96})
LATENT: Options = MappingProxyType(
    {
        "q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 12,
        "head_dim": 8,
        "n_routed_experts": 4, "n_group": 1, "topk_group": 1, "num_key_value_heads": 4, "first_k_dense_replace": 1,
    }
)  # fmt: skip
ROPE: Options = MappingProxyType({"rope_type": "default", "rope_theta": 10_000.0})
NO_CAPS: Options = MappingProxyType({"attn_logit_softcapping": None, "final_logit_softcapping": None})
WINDOWED: Options = MappingProxyType({"sliding_window": WINDOW})

# Name, model type of transformers' config, and what its config says besides COMMON.
ARCHITECTURES: dict[str, tuple[str, Options]] = {
    "apertus": ("apertus", {}),
    "arcee": ("arcee", {}),
    "bloom": ("bloom", GPT),
    "codegen": ("codegen", {**GPT, "rotary_dim": 8}),
    "cohere": ("cohere", {"logit_scale": 0.0625}),
    "cohere2": ("cohere2", {**WINDOWED, "logit_scale": 0.0625}),
    "deepseek_v3": ("deepseek_v3", {**EXPERTS, **LATENT}),
    "doge": ("doge", {}),
    "ernie4_5": ("ernie4_5", {}),
    "exaone4": ("exaone4", {**WINDOWED, "sliding_window_pattern": 2}),
    "falcon": ("falcon", {"head_dim": ABSENT, "new_decoder_architecture": True, "num_kv_heads": 2}),
    "gemma": ("gemma", {}),
    "gemma2": ("gemma2", {**WINDOWED, "query_pre_attn_scalar": 12}),
    "gemma2-final-cap": (
        "gemma2",
        {**NO_CAPS, "sliding_window": WINDOW, "query_pre_attn_scalar": 12, "final_logit_softcapping": 30.0},
    ),
    "gemma2-no-caps": ("gemma2", {**NO_CAPS, **WINDOWED, "query_pre_attn_scalar": 12}),
    "gemma3": ("gemma3_text", {**WINDOWED, "query_pre_attn_scalar": 12}),
    "glm": ("glm", {"pad_token_id": 0}),
    "glm4": ("glm4", {"pad_token_id": 0}),
    "gpt2": ("gpt2", GPT),
    "gpt_bigcode": ("gpt_bigcode", GPT),
    "gpt_neo": (
        "gpt_neo",
        {"num_layers": 3, "num_heads": 4, "attention_types": [[["global", "local", "global"], 1]], "window_size": 40},
    ),
    "gpt_neox": ("gpt_neox", {"rotary_pct": 0.5}),
    "gpt_oss": ("gpt_oss", {**EXPERTS, **WINDOWED}),
    "gptj": ("gptj", {**GPT, "rotary_dim": 8}),
    "granite": ("granite", {"logits_scaling": 8.0, "attention_multiplier": 0.2, "residual_multiplier": 0.5}),
    "granitemoe": ("granitemoe", {**EXPERTS, "logits_scaling": 8.0, "attention_multiplier": 0.2}),
    "helium": ("helium", {}),
    "hunyuan": ("hunyuan_v1_dense", {}),
    "lfm2": ("lfm2", {"layer_types": ["conv", "full_attention", "conv"], "block_auto_adjust_ff_dim": False}),
    "llama": ("llama", {}),
    "llama4": ("llama4_text", {**EXPERTS, "attention_chunk_size": WINDOW, "intermediate_size_mlp": 96}),
    "mamba": ("mamba", {"state_size": 8}),
    "ministral": ("ministral", WINDOWED),
    "mistral": ("mistral", WINDOWED),
    "mixtral": ("mixtral", EXPERTS),
    "mpt": ("mpt", {"d_model": 48, "n_heads": 4, "n_layers": 3, "max_seq_len": 512}),
    "nemotron": ("nemotron", {}),
    "olmo": ("olmo", {}),
    "olmo2": ("olmo2", {}),
    "olmo3": ("olmo3", WINDOWED),
    "olmoe": ("olmoe", EXPERTS),
    "opt": ("opt", {"ffn_dim": 96, "word_embed_proj_dim": 48, "init_std": 0.3}),
    "phi": ("phi", {}),
    "phi3": ("phi3", {**WINDOWED, "pad_token_id": 0}),
    "phimoe": ("phimoe", {**EXPERTS, **WINDOWED}),
    "qwen2": ("qwen2", {}),
    "qwen2-windows": ("qwen2", {**WINDOWED, "use_sliding_window": True, "max_window_layers": 1}),
    "qwen2_moe": (
        "qwen2_moe",
        {**EXPERTS, **WINDOWED, "use_sliding_window": True, "max_window_layers": 1,
         "shared_expert_intermediate_size": 32},
    ),
    "qwen3": ("qwen3", {}),
    "qwen3_moe": ("qwen3_moe", EXPERTS),
    "qwen3_next": (
        "qwen3_next",
        {**EXPERTS, "linear_num_value_heads": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 12,
         "linear_value_head_dim": 12, "shared_expert_intermediate_size": 32},
    ),
    "seed_oss": ("seed_oss", {}),
    "smollm3": ("smollm3", {"pad_token_id": 0}),
    "stablelm": ("stablelm", {"rope_parameters": {**ROPE, "partial_rotary_factor": 0.5}}),
    "starcoder2": ("starcoder2", WINDOWED),
}  # fmt: skip


def make_architecture(folder: Path, name: str, seed: int = 0) -> Path:
    """A checkpoint of one of ARCHITECTURES, whose output is printable and ends now and then."""
    from transformers import AutoConfig, AutoModelForCausalLM

    family, options = ARCHITECTURES[name]
    tokenizer = make_tokenizer(TEXTS, VOCABULARY)
    chosen = {"pad_token_id": tokenizer.pad_token_id, **COMMON, **options}
    make_config: Any = AutoConfig.for_model
    config = make_config(
        family,
        **{name: value for name, value in chosen.items() if value is not ABSENT},
        vocab_size=len(tokenizer),
        eos_token_id=tokenizer.eos_token_id,
    )
    torch.manual_seed(seed)
    make_model: Any = AutoModelForCausalLM.from_config
    model = make_model(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:  # norms and biases, which begin as ones and zeros
                parameter += 0.1 * torch.randn_like(parameter)
    _write_printable(model.get_output_embeddings().weight, tokenizer)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@torch.no_grad()
def _write_printable(head: torch.Tensor, tokenizer: Any) -> None:
    """Logits of 0, far below the best, for tokens whose bytes aren't ASCII: drafts are texts."""
    from fastedit.targets.codec import TokenizerCodec

    codec = TokenizerCodec(tokenizer.backend_tokenizer)
    for token in range(len(head)):
        piece = codec.piece(token)
        is_plain = bool(piece) and all(byte in b"\n" or 0x20 <= byte < 0x7F for byte in piece)
        if not is_plain and token != tokenizer.eos_token_id:
            head[token] = 0.0
