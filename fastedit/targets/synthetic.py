"""Small checkpoints with random weights and a byte-level tokenizer made on the spot, for tests and benchmarks.

Their outputs mean nothing; their shapes, code paths and costs are a real target's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerBase

FAMILIES = ("llama", "qwen2", "qwen3")
SPECIAL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|original|>", "<|edit|>", "<|merged|>")
# Words, numbers and white space apart, as the tokenizers of code models cut them.
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@dataclass(frozen=True, slots=True)
class Shape:
    """The numbers that make a decoder's size. Vocabulary: at most so many tokens."""

    family: str = "qwen3"
    hidden: int = 64
    layers: int = 2
    heads: int = 4
    kv_heads: int = 2
    head_dim: int = 16
    intermediate: int = 128
    vocabulary: int = 512
    positions: int = 4096
    weight_scale: float = 0.02
    is_tied: bool = True


def make_checkpoint(folder: Path, shape: Shape, texts: Iterable[str], seed: int = 0, dtype: str = "float32") -> Path:
    """A folder with config, safetensors weights and a tokenizer trained on `texts`; the folder is given back."""
    import torch
    from transformers import AutoModelForCausalLM

    tokenizer = make_tokenizer(texts, shape.vocabulary)
    torch.manual_seed(seed)
    make_model: Any = AutoModelForCausalLM.from_config
    model = make_model(_config(shape, tokenizer)).to(getattr(torch, dtype))
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_tokenizer(texts: Iterable[str], vocabulary: int) -> PreTrainedTokenizerBase:
    """A byte-level BPE tokenizer with a chat template, of at most `vocabulary` tokens."""
    from transformers import PreTrainedTokenizerFast

    backend = train_byte_bpe(texts, vocabulary, SPLIT, SPECIAL_TOKENS)
    make: Any = PreTrainedTokenizerFast
    tokenizer: PreTrainedTokenizerBase = make(
        tokenizer_object=backend, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    tokenizer.chat_template = CHAT_TEMPLATE
    return tokenizer


def train_byte_bpe(
    texts: Iterable[str], vocabulary: int, split: str, special_tokens: Sequence[str], max_length: int | None = None
) -> Tokenizer:
    """Byte-level BPE of at most `vocabulary` tokens: any text comes back from its tokens as it was.

    split: a pattern whose matches no token reaches beyond. special_tokens: get the first ids. max_length: characters of
    a token at most.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(split), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(special_tokens),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        max_token_length=max_length,
        show_progress=False,
    )
    backend.train_from_iterator(texts, trainer)
    return backend


def byte_level_characters(text: str) -> str:
    """The text as byte-level BPE writes it in its vocabulary: one printable character a byte."""
    from tokenizers import pre_tokenizers

    pieces = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)
    return "".join(piece for piece, _ in pieces)


def _config(shape: Shape, tokenizer: PreTrainedTokenizerBase) -> Any:
    from transformers import AutoConfig

    if shape.family not in FAMILIES:
        raise ValueError(f"family must be one of {FAMILIES}")
    return AutoConfig.for_model(
        shape.family,
        vocab_size=len(tokenizer),
        hidden_size=shape.hidden,
        intermediate_size=shape.intermediate,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        head_dim=shape.head_dim,
        max_position_embeddings=shape.positions,
        initializer_range=shape.weight_scale,
        tie_word_embeddings=shape.is_tied,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
