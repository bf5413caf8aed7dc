"""What an assistant's words around the code say about the place and the change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fastedit.patterns import pattern

# A sentence with what it quotes, or what parts it from the next one.
_SENTENCE_END = pattern(r"`[^`\n]+`|(?<=[.!?;:])\s+|\n\s*\n|\n\s*[-*\d]+[.)]?\s")
_REMOVAL = pattern(
    r"\b(?:remov(?:e|es|ed|ing)|delet(?:e|es|ed|ing)|drop(?:s|ped|ping)?|gone|go away|goes away|go|goes"
    r"|no longer (?:needed|used|exists?)|got rid of|get rid of|rid of|had no callers|unused"
    r"|entfern\w*|gelöscht|lösch\w+|fällt weg|fallen weg|entfällt|supprim\w+|retir\w+|enlev\w+"
    r"|eliminad[oa]s?|eliminé|eliminar"
    r"|quit(?:é|ado|ada|ar)|borr(?:é|ado|ada|ar)|remov(?:i|ido|ida|er)|rimoss[oaie]|tolt[oaie]|verwijder\w*|weggehaald"
    r"|usun\w+|usuń|удал\w+|убра\w+|убран\w*|kaldır\w*|silin\w*|sildim)\b|删除|移除|去掉|删掉|削除|삭제|제거",
    re.IGNORECASE,
)
_STAYING = pattern(r"\b(?:still|stays?|remains?|keeps?|kept|unchanged|untouched|the same)\b", re.IGNORECASE)
_NAME = pattern(r"`([^`\n]+)`")
_COMMENT = pattern(r"^(?:#|//|/\*|--|<!--|;)\s*\S.{5,}")
_WORD = pattern(r"[A-Za-z_$][\w$]*")
# What is said of a file isn't said of anything in one.
_PATH = pattern(
    r"^[\w.@-]*/[\w./@-]+$"
    r"|^[\w.-]+\.(?:py|pyi|m?[jt]sx?|go|rs|java|kt|[ch](?:pp)?|cs|rb|php|md|rst|txt|toml|ya?ml|json|html|s?css|sh|sql|cfg|ini|lock)$"
)
_DOCSTRINGS = pattern(
    r"\b(?:skip|keep|omit|leave|left|shorten|abbreviat|without)\w*\b[^.\n]{0,60}\bdocstrings?\b"
    r"|\bdocstrings?\b[^.\n]{0,60}\b(?:unchanged|untouched|omitted|skipped|as (?:is|they are|before)|stays?)\b",
    re.IGNORECASE,
)
_DOCSTRING_GONE = pattern(
    r"\b(?:removed?|deleted?|drop|dropped|got rid of|get rid of)\s+(?:the\s+|its\s+|their\s+|both\s+)?docstrings?\b"
    r"|\bdocstrings?\b[^.\n]{0,60}\b(?:(?:is|are|was|were) (?:gone|removed|deleted|dropped)|goe?s?(?: away)?)\b",
    re.IGNORECASE,
)
_FENCE = pattern(r"^\s*(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Hints:
    """removed: names that the words say are gone; mentioned: names in the words (in backticks, or written like code);
    keeps_docstrings: the words say that docstrings are only left out of the snippet; without_docstring: names of which
    they say that the docstring is gone; gone: comments that they
    quote as removed, without the dots where they break off; kept: lines that they quote as staying, white space out.
    """

    removed: frozenset[str] = frozenset()
    mentioned: frozenset[str] = frozenset()
    keeps_docstrings: bool = False
    without_docstring: frozenset[str] = frozenset()
    gone: tuple[str, ...] = ()
    kept: frozenset[str] = frozenset()


def hints_of(message: str) -> Hints:
    """The hints in a message's prose; what stands in fences doesn't count."""
    removed: set[str] = set()
    mentioned: set[str] = set()
    gone: list[str] = []
    kept: set[str] = set()
    bare: set[str] = set()
    for sentence in _sentences(prose_of(message)):
        quotes = [quoted for quoted in _NAME.findall(sentence) if not is_path(quoted)]
        names = {word for quoted in quotes for word in _WORD.findall(quoted)}
        names |= {word for word in _WORD.findall(sentence) if _looks_like_code(word)}
        mentioned |= names
        if _DOCSTRING_GONE.search(sentence):
            bare |= names
        elif _REMOVAL.search(sentence) or "outdated" in sentence:
            removed |= names
            gone += [quoted.rstrip(". …") for quoted in _NAME.findall(sentence) if _COMMENT.match(quoted)]
        elif _STAYING.search(sentence):
            kept |= {"".join(quoted.split()) for quoted in _NAME.findall(sentence)}
    keeps_docstrings = bool(_DOCSTRINGS.search(prose_of(message)))
    return Hints(
        frozenset(removed), frozenset(mentioned), keeps_docstrings, frozenset(bare), tuple(gone), frozenset(kept)
    )


def is_path(quoted: str) -> bool:
    """Whether what the words quote names a file."""
    return bool(_PATH.match(quoted))


def _sentences(prose: str) -> Iterator[str]:
    """The sentences; what stands in backticks is never parted."""
    start = 0
    for found in _SENTENCE_END.finditer(prose):
        if not found.group().startswith("`"):
            yield prose[start : found.start()]
            start = found.end()
    yield prose[start:]


def prose_of(message: str) -> str:
    """The message's lines outside of fences."""
    lines: list[str] = []
    closing: str | None = None
    for line in message.split("\n"):
        fence = _FENCE.match(line)
        if closing is None and fence:
            closing = fence.group(1)[:3]
        elif closing is not None and fence and fence.group(1).startswith(closing):
            closing = None
        elif closing is None:
            lines.append(line)
    return "\n".join(lines)


def _looks_like_code(word: str) -> bool:
    return "_" in word or any(character.isupper() for character in word[1:])
