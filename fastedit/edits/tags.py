"""An edit in a chat message: `<instruction>`, `<code>` and `<update>`, by their positions.

Files hold such tags themselves, so that no closing tag can be trusted to be the first one: the original goes from the
first `<code>` to the one place where `</code>` and `<update>` follow each other, the edit from there to the last
`</update>`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fastedit.errors import Code, EditUnreadable

CODE = "<code>"
_HEAD = re.compile(r"\s*<(instructions?)>(.*?)</\1>\s*<code>", re.DOTALL)  # an instruction may speak of <code>
_BETWEEN = re.compile(r"</code>\s*<(update|edit)>")
_STARTS = re.compile(r"\s*<(?:instructions?|code)>")
_ENDS = ("</update>", "</edit>")
_INSTRUCTION = re.compile(r"<(instructions?)>(.*)</\1>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Tagged:
    """The parts of a tagged message."""

    original: str
    edit: str
    instruction: str | None


def is_tagged(message: str) -> bool:
    """Whether the message is meant to have an original and an edit in it."""
    return CODE in message and _BETWEEN.search(message) is not None


def begins_tagged(message: str) -> bool:
    """Whether a text that may be any edit is such a message: it begins and ends with the tags."""
    return is_tagged(message) and _STARTS.match(message) is not None and message.rstrip().endswith(_ENDS)


def read_tagged(message: str) -> Tagged:
    """Takes a tagged message apart. Raises EditUnreadable where a tag is missing, or where one ends can't be told."""
    start, instruction = _head(message)
    between = list(_BETWEEN.finditer(message, start)) if start else []
    if not between:
        raise _unparsable("The message needs <code>...</code> followed by <update>...</update>.")
    if len(between) > 1:
        raise _unparsable(
            "The original or the edit holds `</code><update>` itself, so where one ends can't be told: use /v1/apply."
        )
    end = message.rfind(f"</{between[0][1]}>")
    if end < between[0].end():
        raise _unparsable(f"The message has no </{between[0][1]}>.")
    original, edit = _without_offset(message[start : between[0].start()], message[between[0].end() : end])
    return Tagged(original, edit, instruction.strip() or None)


def _head(message: str) -> tuple[int, str]:
    """The offset at which the original begins (0 where it doesn't), and the instruction before it."""
    head = _HEAD.match(message)
    if head:
        return head.end(), head[2]
    opening = message.find(CODE)
    if opening < 0:
        return 0, ""
    instruction = _INSTRUCTION.search(message, 0, opening)
    return opening + len(CODE), instruction[2] if instruction else ""


def _without_offset(original: str, edit: str) -> tuple[str, str]:
    """Both texts without the newlines that only set off the tags: those stand at all four ends or at none."""
    both = (original, edit)
    for newline in ("\r\n", "\n"):
        if all(text.startswith(newline) and text.endswith(newline) and len(text) > len(newline) for text in both):
            return original[len(newline) : -len(newline)], edit[len(newline) : -len(newline)]
    return both


def _unparsable(message: str) -> EditUnreadable:
    return EditUnreadable(Code.EDIT_UNPARSABLE, message)
