"""A tokenizer for code: byte-level BPE whose tokens never reach across lines and whose line starts look alike.

A line end is a token of its own and so is the white space that follows it: a drafter that goes on at a line's start
goes on at a token's start, and a model learns one way to begin a line. What a token is doesn't depend on what stands
before it in the text, except for one space, dot or underscore that a word takes along.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fastedit.targets.marks import FIRST, NUM_MARKS, RANGE
from fastedit.targets.synthetic import byte_level_characters, train_byte_bpe

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerBase

END, PAD = "<|end|>", "<|pad|>"
SPECIAL_TOKENS = (PAD, END, "<|original|>", "<|edit|>", "<|elided|>", "<|merged|>")
SPLIT = (
    rf"[{RANGE}]"  # a line mark
    r"|\r?\n"  # a line end alone
    r"| {2,}|\t+"  # indentation and alignment
    r"|[ ._]?\p{L}+"  # a word
    r"|\p{N}"  # digits one by one: numbers are copied, not known
    r"| ?[^\s\p{L}\p{N}]+"  # punctuation
    r"|\s"
)
MAX_TOKEN_LENGTH = 24


def train_tokenizer(texts: Iterable[str], vocabulary: int) -> PreTrainedTokenizerBase:
    """A tokenizer of `vocabulary` tokens at most, and those for line marks; any text comes back as it was."""
    from transformers import PreTrainedTokenizerFast

    backend = _with_marks(train_byte_bpe(texts, vocabulary, SPLIT, SPECIAL_TOKENS, MAX_TOKEN_LENGTH))
    make: Any = PreTrainedTokenizerFast
    tokenizer: PreTrainedTokenizerBase = make(
        tokenizer_object=backend, eos_token=END, pad_token=PAD, extra_special_tokens=list(SPECIAL_TOKENS[2:])
    )
    return tokenizer


def _with_marks(backend: Tokenizer) -> Tokenizer:
    """The tokenizer with a token for each line mark, made of its bytes before anything else is merged."""
    from tokenizers import Tokenizer

    spec = json.loads(backend.to_str())
    vocabulary, merges = spec["model"]["vocab"], list[tuple[str, str]]()
    for number in range(NUM_MARKS):
        pieces = byte_level_characters(chr(FIRST + number))
        merges += [(pieces[:length], pieces[length]) for length in range(1, len(pieces))]
    spec["model"]["merges"] = [*dict.fromkeys(merges), *map(tuple, spec["model"]["merges"])]
    for left, right in dict.fromkeys(merges):
        vocabulary.setdefault(left + right, len(vocabulary))
    return Tokenizer.from_str(json.dumps(spec))
