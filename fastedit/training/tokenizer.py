"""A tokenizer for code: byte-level BPE whose tokens never reach across lines and whose line starts look alike.

A line end is a token of its own and so is the white space that follows it: a drafter that goes on at a line's start
goes on at a token's start, and a model learns one way to begin a line. What a token is doesn't depend on what stands
before it in the text, except for one space, dot or underscore that a word takes along.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

END, PAD = "<|end|>", "<|pad|>"
SPECIAL_TOKENS = (PAD, END, "<|original|>", "<|edit|>", "<|merged|>")
SPLIT = (
    r"\r?\n"  # a line end alone
    r"| {2,}|\t+"  # indentation and alignment
    r"|[ ._]?\p{L}+"  # a word
    r"|\p{N}"  # digits one by one: numbers are copied, not known
    r"| ?[^\s\p{L}\p{N}]+"  # punctuation
    r"|\s"
)
MAX_TOKEN_LENGTH = 24


def train_tokenizer(texts: Iterable[str], vocabulary: int) -> PreTrainedTokenizerBase:
    """A tokenizer of `vocabulary` tokens at most; any text comes back from its tokens as it was."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        max_token_length=MAX_TOKEN_LENGTH,
        show_progress=False,
    )
    backend.train_from_iterator(texts, trainer)
    make: Any = PreTrainedTokenizerFast
    tokenizer: PreTrainedTokenizerBase = make(
        tokenizer_object=backend, eos_token=END, pad_token=PAD, extra_special_tokens=list(SPECIAL_TOKENS[2:])
    )
    return tokenizer
