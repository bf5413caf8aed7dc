"""A tokenizer for code: byte-level BPE whose tokens never reach across lines and whose line starts look alike.

A line end is a token of its own and so is the white space that follows it: a drafter that goes on at a line's start
goes on at a token's start, and a model learns one way to begin a line. What a token is doesn't depend on what stands
before it in the text, except for one space, dot or underscore that a word takes along.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fastedit.targets.synthetic import train_byte_bpe

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

END, PAD = "<|end|>", "<|pad|>"
SPECIAL_TOKENS = (PAD, END, "<|original|>", "<|edit|>", "<|elided|>", "<|merged|>")
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
    from transformers import PreTrainedTokenizerFast

    backend = train_byte_bpe(texts, vocabulary, SPLIT, SPECIAL_TOKENS, MAX_TOKEN_LENGTH)
    make: Any = PreTrainedTokenizerFast
    tokenizer: PreTrainedTokenizerBase = make(
        tokenizer_object=backend, eos_token=END, pad_token=PAD, extra_special_tokens=list(SPECIAL_TOKENS[2:])
    )
    return tokenizer
