"""A tokenizer as drafting and prompting need it: text to ids without special tokens, ids to their bytes."""

from __future__ import annotations

import json
import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from fastedit.errors import Code, EngineUnavailable

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LONG_TEXT = 1000  # characters; a shorter one is encoded anew as quickly
REMEMBERED_TEXTS = 16
SPACE_MARK = "\u2581"  # how SentencePiece writes a space
PROBE = "def f(x):\n    return 'caf\u00e9 \u2192 \U0001f600'\t# ok\n"


class TokenizerCodec:
    """Text and ids of one tokenizer. lead_tokens: what it puts before every text (`<s>`), often nothing.

    Two families are known, which between them cover the causal language models in use: byte-level BPE, and
    SentencePiece-like BPE with byte fall-back. EngineUnavailable(TARGET_UNAVAILABLE) for any other.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._whole = tokenizer
        self._spec: dict[str, Any] = json.loads(tokenizer.to_str())
        self._is_byte_level = _mentions(self._spec["decoder"], "ByteLevel")
        if not self._is_byte_level and not _mentions(self._spec["decoder"], "ByteFallback"):
            raise EngineUnavailable(
                Code.TARGET_UNAVAILABLE, "The target's tokenizer is neither byte-level nor SentencePiece-like."
            )
        self._added = {token["id"]: token["content"] for token in self._spec["added_tokens"]}
        self._special = {token["id"] for token in self._spec["added_tokens"] if token["special"]}
        self._pieces = self._all_pieces()
        # A draft is measured before it is drafted from, and a request that is asked again has the same texts.
        self._remembered = lru_cache(REMEMBERED_TEXTS)(lambda text: tuple(self._encode(text)))
        self.lead_tokens = tuple(tokenizer.encode("", add_special_tokens=True).ids)  # what every prompt begins with
        self._lead = [] if self._is_byte_level else self._ids("\n")
        if b"".join(map(self.piece, self.encode(PROBE))) != PROBE.encode():
            raise EngineUnavailable(
                Code.TARGET_UNAVAILABLE, "The target's tokenizer doesn't give a text back as it was."
            )

    @property
    def num_tokens(self) -> int:
        """The number of ids: those from here on mean nothing to the tokenizer."""
        return len(self._pieces)

    def encode(self, text: str) -> list[int]:
        """Token ids of `text` as the continuation of other text; nothing in it is read as a special token."""
        return list(self._remembered(text)) if len(text) >= LONG_TEXT else self._encode(text)

    def _encode(self, text: str) -> list[int]:
        if self._is_byte_level:
            if self._texts is None:
                return self._ids(text)
            tokens: list[int] = []
            for index, part in enumerate(self._texts.split(text)):  # every other part is one of the added tokens
                tokens += [self._special_ids[part]] if index % 2 else self._ids(part)
            return tokens
        # SentencePiece puts a space before a text's first word; a leading newline takes that place.
        return self._ids("\n" + text)[len(self._lead) :]

    def _ids(self, text: str) -> list[int]:
        return list(self._plain.encode(text, add_special_tokens=False).ids)

    def piece(self, token: int) -> bytes:
        """The bytes that the token stands for; empty for special tokens.

        EngineUnavailable(ENGINE_ERROR) for an id that the tokenizer doesn't have.
        """
        if 0 <= token < len(self._pieces):
            return self._pieces[token]
        raise EngineUnavailable(Code.ENGINE_ERROR, f"The target wrote token {token}, which its tokenizer doesn't have.")

    def text(self, tokens: list[int]) -> str:
        """The text of `tokens` without special ones; bytes that are no UTF-8 become U+FFFD."""
        return b"".join(map(self.piece, tokens)).decode("utf-8", errors="replace")

    def special_id(self, content: str) -> int | None:
        """The id of an added token (`<|im_end|>`), or None."""
        return self._special_ids.get(content)

    @cached_property
    def special_contents(self) -> tuple[str, ...]:
        """The texts of all added tokens, longest first."""
        return tuple(sorted(self._special_ids, key=len, reverse=True))

    @cached_property
    def _special_ids(self) -> dict[str, int]:
        return {content: token for token, content in self._added.items()}

    @cached_property
    def _plain(self) -> Tokenizer:
        """The tokenizer without its added tokens: `<|im_end|>` in a source file is ten characters to it."""
        from tokenizers import Tokenizer

        return Tokenizer.from_str(
            json.dumps(self._spec | {"added_tokens": [], "post_processor": None, "truncation": None})
        )

    @cached_property
    def _texts(self) -> re.Pattern[str] | None:
        """Finds the added tokens that are text (runs of spaces, a letter), which the target was taught to read."""
        texts = [token["content"] for token in self._spec["added_tokens"] if _is_text(token)]
        longest_first = sorted(texts, key=len, reverse=True)
        return re.compile(f"({'|'.join(map(re.escape, longest_first))})") if texts else None

    def _all_pieces(self) -> list[bytes]:
        vocabulary = self._whole.get_vocab(with_added_tokens=True)
        pieces = [b""] * (max(vocabulary.values(), default=-1) + 1)
        characters = _byte_level_alphabet()
        for content, token in vocabulary.items():
            if token in self._special:
                continue
            if token in self._added:  # its text as it is, no byte-level characters
                pieces[token] = content.encode()
                continue
            pieces[token] = _byte_level(content, characters) if self._is_byte_level else _sentence_piece(content)
        return pieces


def _is_text(added: dict[str, Any]) -> bool:
    """Whether an added token stands for nothing but its text, and so can't be mistaken for markup in a file."""
    is_markup = added["content"][:1] in "<[" and added["content"][-1:] in ">]"
    return not (added["special"] or is_markup or added["lstrip"] or added["rstrip"])


def _mentions(decoder: object, kind: str) -> bool:
    return f'"{kind}"' in json.dumps(decoder)


def _byte_level(content: str, characters: dict[str, int]) -> bytes:
    return bytes(characters[character] for character in content if character in characters)


def _sentence_piece(content: str) -> bytes:
    if len(content) == 6 and content.startswith("<0x") and content.endswith(">"):
        return bytes((int(content[3:5], 16),))
    return content.replace(SPACE_MARK, " ").encode()


def _byte_level_alphabet() -> dict[str, int]:
    """The printable character that byte-level BPE writes for each byte, and that byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + index): byte for index, byte in enumerate(others)}
