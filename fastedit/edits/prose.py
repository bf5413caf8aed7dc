"""Telling English from code, for messages that don't fence their code."""

from __future__ import annotations

import re

_LIST_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
_INLINE_CODE = re.compile(r"`[^`\n]*`")
_CODE_SIGN = re.compile(r"[{}\[\];=<>\\|@$]|\w\(|::|->|^\s*(?:#|//|--|/\*)")
_SHORT = re.compile(r"^[A-Z][\w' ,-]{1,40}[.!?:]$")
_WORD = re.compile(r"[A-Za-z][\w'’-]*")
_SENTENCE_END = re.compile(r"[.:!?)…\"*]$")


def is_prose(paragraph: str) -> bool:
    """Whether a paragraph (or line) reads as a sentence to a person, not as code or data."""
    text = _INLINE_CODE.sub("x", _LIST_ITEM.sub("", paragraph.strip())).strip()
    if not text or _CODE_SIGN.search(text.lstrip("#* ")) or text[0] in "#/%;":
        return False
    if _SHORT.match(text):
        return True
    words = _WORD.findall(text)
    starts_well = text[0].isupper() or text[0] in "\"'*(x" or bool(_LIST_ITEM.match(paragraph))
    return len(words) >= 4 and starts_well and bool(_SENTENCE_END.search(text))
