"""Tells what a comment in a snippet is for: it stands for code, it speaks to the reader, or it is code itself.

A linear classifier over the characters of the comment's words (n-grams hashed to buckets) gives the odds; the search
weighs them against everything else. `fastedit.training.alignment` fits it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fastedit.edits.wording import comment_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

# elide: stands for code that isn't shown; where, new, gone: notes to the reader; code: a comment of the file.
ROLES = ("elide", "where", "new", "gone", "code")
BUCKETS = 1 << 13
MAX_CHARACTERS = 160
SHORTEST, LONGEST = 2, 5
SHAPE_WEIGHT = 6
_DOTTED = ("...", "…", "⋮")
_FILE = Path(__file__).with_name("comments.npz")
_SPACE = re.compile(r"\s+")
_IDENTIFIER = re.compile(r"`[^`]*`|\b\w*[a-z]\w*[A-Z_]\w*\b|\b\w+_\w+\b|\w+\(\)")
NAME_LIKE = re.compile(r"[\w$-]+(?=[`():,.]*(?:[\s,]|$))")
_NUMBER = re.compile(r"\d+")
# Behind code: what a comment sign looks like, white space in front.
_TRAILING = re.compile(r"\s+(?P<note>(?:#|//|--|/\*|<!--|\{/\*|\{#|;|%|←|<-|👈|⬅))")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")
_ARROW = re.compile(r"^(?:←|<-+|<=+|👈|⬅)\s*")
_OPENING = re.compile(r"(?:#+|//!?|/\*+|--|<!--|;+|%+|\{/\*|\{#)(?![/!#-])\s*")
_CLOSING = re.compile(r"\s*(?:\*/\}?|-->|#\})$")
# What sets the words of a comment off: a rule, an arrow, brackets around all of it.
_DRESSING = re.compile(
    r"[-=~*>+─┄]{2,}(?=\s*\w)|[-~=]>|<[-=~]+|[←→↑↓⬅⬆👈☝▶►»](?=.)"
    r"|\[(?=[^\[\]]*\]$)|<(?!\w+:)(?=.*>$)|\((?!\w+:/)(?=.*\)$)"
)
_NAME = r"`?[\w$.-]+(?:\(\))?`?"
_NAMES_ALONE = re.compile(rf"{_NAME}(?:(?:,\s*(?:and\s+)?|\s+(?:and|&)\s+){_NAME})*\s*[:.]?")


def normalised(text: str) -> str:
    """The comment's text as the classifier reads it: lower case, names and numbers replaced by signs."""
    text = _IDENTIFIER.sub("\x01", text[:MAX_CHARACTERS])
    return _SPACE.sub(" ", _NUMBER.sub("0", text)).strip().lower()


def buckets_of(text: str) -> list[int]:
    """The buckets of the text's n-grams, and of its first and last words; with repetitions."""
    return [zlib.crc32(gram.encode()) % BUCKETS for gram in _grams(normalised(text))]


def _grams(text: str) -> Iterator[str]:
    padded = f"\x02{text}\x03"
    for length in range(SHORTEST, LONGEST + 1):
        for start in range(len(padded) - length + 1):
            yield padded[start : start + length]
    words = text.split()
    if words:
        yield f"\x04{words[0]}"
        yield f"\x05{words[-1]}"
        yield f"\x06{min(len(words), 12)}"
        for word in words[:20]:
            yield f"\x07{word}"
        # The shape says most, and n-grams alone would learn it by heart: repeated, so that it weighs enough.
        for shape in _shapes(text, words):
            for times in range(SHAPE_WEIGHT):
                yield f"\x08{shape}{times}"


def _shapes(text: str, words: list[str]) -> Iterator[str]:
    starts, ends = text.startswith(_DOTTED), text.endswith(_DOTTED)
    yield f"dots{starts:d}{ends:d}"
    yield f"brackets{text[:1] in '[(<{':d}{text[-1:] in '])>}':d}"
    yield f"dotted{starts or ends:d}{min(len(words), 6)}"
    yield f"ascii{text.isascii():d}"
    yield f"end{text[-1:] if not text[-1:].isalnum() else 'a'}"


@cache
def _weights() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Returns (BUCKETS, 5) weights and (5,) biases."""
    with np.load(_FILE) as stored:
        scale = float(stored["scale"])
        return stored["weights"].astype(np.float32) * scale, stored["bias"].astype(np.float32)


@lru_cache(maxsize=4096)
def _scores(text: str) -> tuple[float, ...]:
    weights, bias = _weights()
    found = buckets_of(text)
    total = bias + weights[found].sum(axis=0) / np.sqrt(max(1, len(found)))
    total = total - total.max()
    return tuple(float(x) for x in total - np.log(np.exp(total).sum()))


def log_odds(text: str) -> dict[str, float]:
    """role → natural logarithm of its probability, from the comment's words alone."""
    return dict(zip(ROLES, _scores(text), strict=True))


def note_of(line: str) -> str | None:
    """The text of the comment that fills this line; None where it isn't one."""
    return comment_text(line)


def split_trailing(line: str, signs: Sequence[str]) -> tuple[str, str] | None:
    """The code of a line and what the comment behind it says; None where there is no comment behind code.

    signs: how a comment may begin in the language; arrows always do.
    """
    if not line.strip():
        return None
    masked = _STRING.sub(lambda found: "s" * len(found.group()), line)
    for found in _TRAILING.finditer(masked):
        code, note = line[: found.start()], line[found.start("note") :].strip()
        if not code.strip():
            continue
        if is_pointed(note):
            return code.rstrip(), note
        if note.startswith(tuple(signs)):
            text = comment_text(note)
            return None if text is None else (code.rstrip(), text)
    return None


def is_pointed(note: str) -> bool:
    """Whether a note begins with an arrow at the code before it."""
    return bool(_ARROW.match(note))


def dressing(line: str) -> str:
    """The sign with which a comment that fills a line sets its words off, as in `# --- words ---`; "" for none."""
    opening = _OPENING.match(line.strip())
    if opening is None:
        return ""
    found = _DRESSING.match(_CLOSING.sub("", line.strip()[opening.end() :]))
    if found is None or (not opening.group()[-1].isspace() and found.group() in ("[", "<", "(")):
        return ""
    return found.group()[0]


def names_alone(note: str) -> list[str]:
    """The names that a note is nothing but a list of, or only one; none where it says anything else."""
    return NAME_LIKE.findall(note.replace(" and ", ",")) if _NAMES_ALONE.fullmatch(note.strip()) else []


def fit(texts: list[tuple[str, str]], *, epochs: int = 300, penalty: float = 2e-4) -> dict[str, Any]:
    """Fits the classifier to (text, role) pairs; returns what `save` stores. Needs torch."""
    import torch

    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for number, (text, _) in enumerate(texts):
        found = buckets_of(text)
        scale = 1 / max(1, len(found)) ** 0.5
        for bucket in found:
            rows.append(number)
            columns.append(bucket)
            values.append(scale)
    matrix = torch.sparse_coo_tensor(torch.tensor([rows, columns]), torch.tensor(values), (len(texts), BUCKETS))
    matrix = matrix.coalesce()
    labels = torch.tensor([ROLES.index(role) for _, role in texts])
    weights = torch.zeros(BUCKETS, len(ROLES), requires_grad=True)
    bias = torch.zeros(len(ROLES), requires_grad=True)
    optimizer = torch.optim.Adam([weights, bias], lr=0.1)
    for epoch in range(epochs):
        for group in optimizer.param_groups:
            group["lr"] = 0.1 * (1 - epoch / epochs) + 0.002
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(torch.sparse.mm(matrix, weights) + bias, labels)
        (loss + penalty * weights.pow(2).sum() / len(ROLES)).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    scale = float(weights.detach().abs().max()) / 127
    return {
        "weights": (weights.detach() / scale).round().to(torch.int8).numpy(),
        "bias": bias.detach().numpy(),
        "scale": np.float32(scale),
    }


def save(model: dict[str, Any]) -> None:
    """Stores a fitted classifier where `log_odds` finds it."""
    np.savez_compressed(_FILE, **model)
    _weights.cache_clear()
    _scores.cache_clear()
