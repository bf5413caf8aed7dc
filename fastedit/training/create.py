"""The model that a run starts with: a new one of a given shape, or weights that exist, with adapters where wanted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from fastedit.errors import SettingsError
from fastedit.targets.checkpoint import check_checkpoint
from fastedit.targets.registry import folder_of, template_of
from fastedit.targets.templates import MARKED, PromptTemplate, template_named
from fastedit.training import attention
from fastedit.training.beginning import begin_copying
from fastedit.training.settings import LoraSettings, ModelSettings, TrainingSettings

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

LOCAL: dict[str, Any] = {"trust_remote_code": False, "local_files_only": True}
WEIGHT_SCALE = 0.02
STARTS_AT_ZERO = ("o_proj", "down_proj")  # what writes into the stream: a new layer changes nothing


@dataclass(frozen=True)
class Trainee:
    """The model to be trained, its tokenizer, and the template by which it is asked."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    template: PromptTemplate


def make_trainee(settings: TrainingSettings) -> Trainee:
    """The run's model, on the CPU. Raises SettingsError or EngineUnavailable, saying what is missing."""
    attention.register()
    torch.manual_seed(settings.schedule.seed)
    tokenizer = read_tokenizer(settings)
    model = _loaded(settings) if settings.model.base else _new(settings.model, tokenizer)
    model.config.use_cache = False
    if settings.lora.rank:
        model = _with_adapters(model, settings.lora)
    return Trainee(model, tokenizer, template_for(settings))


def template_for(settings: TrainingSettings) -> PromptTemplate:
    """The template by which the trained target will be asked: the settings' own, else what goes with the base."""
    if settings.model.template:
        return template_named(settings.model.template)
    if settings.model.base is None:
        return MARKED
    return template_of(settings.model.base, _base_folder(settings))


def read_tokenizer(settings: TrainingSettings) -> PreTrainedTokenizerBase:
    """The base's tokenizer, or the one that a new model is to have. SettingsError where there is none."""
    from transformers import AutoTokenizer

    if settings.model.base is None and settings.model.tokenizer is None:
        raise SettingsError("a new model needs a tokenizer: model.tokenizer names its folder")
    folder = _base_folder(settings) if settings.model.base else settings.path(str(settings.model.tokenizer))
    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(folder, **LOCAL)
    except (OSError, ValueError) as error:
        raise SettingsError(f"there is no tokenizer in {folder.name}: {error}") from error
    return tokenizer


def _base_folder(settings: TrainingSettings) -> Path:
    own = settings.path(str(settings.model.base))
    return own if own.is_dir() else folder_of(str(settings.model.base))


def _loaded(settings: TrainingSettings) -> Any:
    from transformers import AutoConfig, AutoModelForCausalLM

    folder = _base_folder(settings)
    check_checkpoint(folder)
    config = AutoConfig.from_pretrained(folder, **LOCAL)
    num_layers = config.num_hidden_layers
    if settings.model.added_layers:
        config.num_hidden_layers += settings.model.added_layers
        if types := getattr(config, "layer_types", None):
            config.layer_types = [*types, *types[-1:] * settings.model.added_layers]
    model: Any = AutoModelForCausalLM.from_pretrained(
        folder,
        config=config,
        dtype=getattr(torch, settings.model.dtype),
        attn_implementation=attention.NAME,
        use_safetensors=True,
        **LOCAL,
    )
    _check_head(model)
    for layer in model.get_decoder().layers[num_layers:]:
        _begin_as_identity(layer)
    return model


def _check_head(model: Any) -> None:
    if getattr(model.config, "final_logit_softcapping", None):
        raise SettingsError("models that cap their logits can't be trained here")
    if model.get_output_embeddings() is None or getattr(model.get_output_embeddings(), "bias", None) is not None:
        raise SettingsError("only models with a plain linear head can be trained here")


def _new(shape: ModelSettings, tokenizer: PreTrainedTokenizerBase) -> Any:
    from transformers import AutoModelForCausalLM

    make_model: Any = AutoModelForCausalLM.from_config
    model = make_model(_config(shape, tokenizer), attn_implementation=attention.NAME)
    _begin_as_identity(model)
    if shape.begins_copying:
        begin_copying(model)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    for weight in model.parameters():  # not the rotary frequencies: a loaded model has them in full
        weight.data = weight.data.to(getattr(torch, shape.dtype))
    return model


def _begin_as_identity(module: torch.nn.Module) -> None:
    for name, weight in module.named_parameters():
        if any(part in name for part in STARTS_AT_ZERO):
            torch.nn.init.zeros_(weight)


def _config(shape: ModelSettings, tokenizer: PreTrainedTokenizerBase) -> Any:
    from transformers import AutoConfig

    return AutoConfig.for_model(
        "qwen3",
        vocab_size=len(tokenizer),
        hidden_size=shape.hidden,
        intermediate_size=shape.intermediate,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        head_dim=shape.head_dim,
        max_position_embeddings=shape.positions,
        rope_parameters={"rope_type": "default", "rope_theta": shape.rope_theta},
        initializer_range=WEIGHT_SCALE,
        tie_word_embeddings=True,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )


def _with_adapters(model: Any, settings: LoraSettings) -> Any:
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules=list(settings.modules),
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)
