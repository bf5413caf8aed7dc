"""Reads the edit that a prompt asks for from its tokens: vLLM's interface carries nothing else about a request.

Three kinds are read, the first that fits: a prediction between `<prediction>` tags; an edit in one of FastEdit's own
templates, or the target's own; an edit between `<code>` and `<update>` (or `<edit>`) tags in any other words. Anything
else is None.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fastedit.edits.tags import is_tagged, read_tagged
from fastedit.errors import EditUnreadable
from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.marks import has_marks
from fastedit.targets.templates import FIELD, PromptTemplate

# A special token stands in a prompt's text between these, so that it can't be mistaken for the same words of a file.
OPEN, CLOSE = "\ue000", "\ue001"
SPECIAL = re.compile(f"{OPEN}[^{CLOSE}]*{CLOSE}")
PREDICTION = re.compile(r"^<prediction>\r?\n(.*)^</prediction>[ \t]*\r?$", re.DOTALL | re.MULTILINE)
ANSWER_TAGS = ("<updated-code>", "</updated-code>")


@dataclass(frozen=True, slots=True)
class Predicted:
    """A prediction of the whole output."""

    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """An edit that a prompt asks for.

    original, edit: as they stand in the prompt; with marks where it has them, and with the elisions' special tokens.
    instruction: what the edit is for, or nothing. opening, closing: what stands around the new file in the output.
    elision: the text of the special token that stands for left-out lines, or None. has_marks: see `targets.marks`.
    """

    original: str
    edit: str
    instruction: str = ""
    opening: str = ""
    closing: str = ""
    elision: str | None = None
    has_marks: bool = False


def prompt_text(tokens: Iterable[int], codec: TokenizerCodec) -> str:
    """The prompt's text, its special tokens between OPEN and CLOSE. EngineUnavailable for a token that isn't one."""
    specials = {codec.special_id(content): content for content in codec.special_contents}
    pieces = []
    for token in tokens:
        piece = codec.piece(token)
        pieces.append(piece if piece or token not in specials else _marked(specials[token]).encode())
    return b"".join(pieces).decode("utf-8", errors="replace")


def read_prompt(text: str, templates: Iterable[PromptTemplate], codec: TokenizerCodec) -> Asked | Predicted | None:
    """The edit or the prediction in the prompt; None for other prompts.

    text: as `prompt_text` gives it. templates: the likeliest first.
    """
    for turn in _turns(text):
        if predicted := PREDICTION.search(turn):
            return Predicted(predicted[1])
    for template in templates:
        if fields := _fields(text, template, codec):
            return _asked(template, fields, codec)
    return next((asked for turn in _turns(text) if (asked := _tagged(turn, text))), None)


def _turns(text: str) -> Iterator[str]:
    """The text between special tokens, last first: of a conversation's edits the last is the one to be made."""
    return reversed([turn for turn in SPECIAL.split(text) if turn.strip()])


def _tagged(turn: str, text: str) -> Asked | None:
    if not is_tagged(turn):
        return None
    try:
        tagged = read_tagged(turn)
    except EditUnreadable:
        return None
    opening, closing = ANSWER_TAGS if ANSWER_TAGS[0] in text else ("", "")
    return Asked(tagged.original, tagged.edit, tagged.instruction or "", opening, closing)


def _asked(template: PromptTemplate, fields: dict[str, str], codec: TokenizerCodec) -> Asked:
    before, _, behind = template.instruction.partition("{instruction}")
    instruction = fields.get("instruction", "").removeprefix(before).removesuffix(behind)
    elision = template.elision
    return Asked(
        fields["original"],
        fields["edit"],
        instruction,
        template.answer_open,
        template.answer_close,
        elision=None if template.is_chat or elision is None else _in_prompt(elision, codec),
        has_marks=has_marks(fields["original"]),  # the same words are said with and without marks
    )


def _fields(text: str, template: PromptTemplate, codec: TokenizerCodec) -> dict[str, str] | None:
    """The text in each of the template's fields; None where the prompt isn't in its words.

    A field ends where the words behind it stand first, the last one where they stand last.
    """
    found: dict[str, str] = {}
    at = 0
    for turn in template.messages:
        content = turn.content if template.is_chat else _in_prompt(turn.content, codec)
        parts = FIELD.split(content.strip())  # chat templates may strip a turn
        start = text.find(parts[0], at)
        if start < 0:
            return None
        at = start + len(parts[0])
        for number in range(1, len(parts), 2):
            end = _end(text, at, parts[number + 1], is_last=number == len(parts) - 2)
            if end < 0:
                return None
            found[parts[number]] = text[at:end]
            at = end + len(parts[number + 1])
    return found if {"original", "edit"} <= found.keys() else None


def _end(text: str, start: int, words: str, is_last: bool) -> int:
    """Offset of the end of a field that begins at `start`; -1 where the words behind it are missing."""
    if words:
        end = text.rfind(words) if is_last else text.find(words, start)
        return end if end >= start else -1
    if not is_last:
        return start  # two fields side by side can't be told apart: the second gets all
    behind = SPECIAL.search(text, start)
    return behind.start() if behind else len(text)


def _in_prompt(markup: str, codec: TokenizerCodec) -> str:
    """A template's markup as `prompt_text` shows it."""
    if not codec.special_contents:
        return markup
    return re.sub("|".join(map(re.escape, codec.special_contents)), lambda found: _marked(found[0]), markup)


def _marked(content: str) -> str:
    return f"{OPEN}{content}{CLOSE}"
