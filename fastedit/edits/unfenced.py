"""Messages that don't fence their code: JSON tool calls, and code among sentences.

Tool calls are what agents send to `str_replace`, `edit_file` and their kin, bare or as APIs wrap it:

    {"path": "a.py", "old_str": "...", "new_str": "..."}                     also old_string, oldText; edits: [...]
    {"command": "create", "path": "a.py", "file_text": "..."}
    {"target_file": "a.py", "code_edit": "..."}                              the code_edit is a message of its own
    {"name": ..., "arguments": "{...}"}, {"type": "tool_use", "input": {...}}, {"tool_calls": [...]}, a list of such

Of a message without any fence, some paragraphs are the file's, and others only speak about it. Where the file itself is
prose (Markdown, reST), all is taken for its text but what only the one who made the edit would say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Any

from fastedit.edits.blocks import Message
from fastedit.edits.fences import has_marker
from fastedit.edits.model import Action, Edit, Format, PatchHunk, Snippet
from fastedit.edits.search_replace import pair_lines
from fastedit.edits.wording import comment_text, is_elision, is_first_person, is_list, is_prose, is_prose_paragraph
from fastedit.errors import Code, EditUnreadable

PATHS = ("path", "file_path", "target_file", "filePath", "targetFile", "filename", "file")
OLD = ("old_str", "old_string", "oldText", "old_text", "oldString")
NEW = ("new_str", "new_string", "newText", "new_text", "newString")
WHOLE = ("file_text", "fileText", "content", "contents")
MESSAGES = ("code_edit", "codeEdit", "patch", "diff", "input")
CREATES = ("create", "create_file", "write", "write_file", "write_to_file", "Write")
WRAPPERS = ("tool_calls", "choices", "message", "function", "arguments", "content", "output", "input", "parameters")
PATCH = "*** Begin Patch"
MAX_DEPTH = 8
_FENCED = re.compile(r"\s*```(?:json)?\n(.*?)\n```\s*", re.DOTALL)
Call = dict[str, Any]
_MARKUP = re.compile(r"^(?:#{2,6} \S|\|.*\|\s*$|\.\. (?:_|[\w-]+::)|\[[^\]]+\]: |!\[|`{3,}|~{3,})")
_UNDERLINE = re.compile(r"^([=~^\"-])\1{2,}\s*$")
_ABOUT_THE_FILE = re.compile(
    r"^(?:add|update|change|fix|replace|remove|rename|move|document|mention|rewrite|reword|drop|correct)\w*\b.{0,80}"
    r"\b(?:sections?|paragraphs?|readme|docs|headings?|lists?|tables?|files?|lines?|sentences?|links?|notes?|chapters?)\b",
    re.IGNORECASE | re.DOTALL,
)
_CLOSING = re.compile(
    r"^(?:I(?:['’](?:m|d|ve|ll))?|everything else|the rest|the others?|nothing else|no other|let me know"
    r"|that(?:['’]s| is| should)|tell me)\b",
    re.IGNORECASE,
)
_BRACKETS = (
    (re.compile(r"(?:^|\s)/\*", re.MULTILINE), "*/"),
    (re.compile("<!--"), "-->"),
    (re.compile(r"--\[\["), "]]"),
)
_QUOTES = ('"""', "'''", "`")


def calls_in(text: str) -> list[Call]:
    """The calls that a text consists of; none where it is anything else."""
    fenced = _FENCED.fullmatch(text)
    said = (fenced[1] if fenced else text).strip()
    if not said.startswith(("{", "[")) or not any(name in said for name in (*OLD, *WHOLE, *MESSAGES)):
        return []
    try:
        return list(_calls(json.loads(said), "", 0))
    except (ValueError, RecursionError):
        return []


def edits_of_call(call: Call) -> list[Edit] | str:
    """The edits that a call asks for, or the message that it holds. Raises EditUnreadable where it lacks something."""
    path = _first(call, PATHS)
    message = _first(call, MESSAGES)
    if message is not None and _first(call, OLD) is None:
        return message
    whole = _first(call, WHOLE)
    if whole is not None:
        return [Edit(Format.WHOLE, path, Action.CREATE, snippets=(Snippet(tuple(_lines(whole))),))]
    pairs = call.get("edits") if isinstance(call.get("edits"), list) else [call]
    return [_replacement(path, pair) for pair in pairs or ()]


def path_of_call(call: Call) -> str | None:
    """The file that a call names."""
    return _first(call, PATHS)


def _replacement(path: str | None, pair: Any) -> Edit:
    old, new = (_first(pair, names) if isinstance(pair, dict) else None for names in (OLD, NEW))
    if old is None or new is None:
        raise EditUnreadable(Code.EDIT_UNPARSABLE, "a tool call lacks the old or the new text")
    if not old:
        return Edit(Format.WHOLE, path, Action.CREATE, snippets=(Snippet(tuple(_lines(new))),))
    hunk = PatchHunk(tuple(pair_lines(_lines(old), _lines(new))))
    return Edit(Format.SEARCH_REPLACE, path, hunks=(hunk,))


def _calls(value: Any, name: str, depth: int) -> Iterator[Call]:
    """The calls in a value, however they are wrapped. name: of the tool, as far as a wrapper has told."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        value = json.loads(value)
    if isinstance(value, list):
        for one in value:
            yield from _calls(one, name, depth + 1)
    elif isinstance(value, dict):
        name = value["name"] if isinstance(value.get("name"), str) else name
        if _is_call(value, name):
            yield value
            return
        for wrapper in WRAPPERS:
            if isinstance(value.get(wrapper), (dict, list, str)):
                yield from _calls(value[wrapper], name, depth + 1)


def _is_call(value: Call, name: str) -> bool:
    if _first(value, OLD) is not None and _first(value, NEW) is not None:
        return True
    message = _first(value, MESSAGES)
    if message is not None and message.lstrip().startswith(PATCH):
        return True
    if _first(value, PATHS) is None:
        return False
    creates = _first(value, WHOLE) is not None and (name in CREATES or value.get("command") in CREATES)
    return creates or message is not None or _has_pairs(value.get("edits"))


def _has_pairs(edits: Any) -> bool:
    if not isinstance(edits, list) or not edits:
        return False
    return all(isinstance(one, dict) and _first(one, OLD) is not None for one in edits)


def _first(call: Call, names: tuple[str, ...]) -> str | None:
    """The text under the first of the names that the call has."""
    return next((call[name] for name in names if isinstance(call.get(name), str)), None)


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


class _Kind(StrEnum):
    PROSE = "prose"
    CODE = "code"
    MARKUP = "markup"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """The message's lines [start, end) between two empty ones."""

    kind: _Kind
    start: int
    end: int
    text: str = field(repr=False)

    @property
    def is_told(self) -> bool:
        """Whether the paragraph speaks to the reader of the message: in the first person, or with code to follow."""
        return self.kind is _Kind.PROSE and (is_first_person(self.text) or self.text.rstrip().endswith((":", "：")))


def bare_snippets(text: str) -> list[Snippet]:
    """A message without fences as code, the sentences before, between and behind it left out; none where it's prose."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    paragraphs = _paragraphs(lines)
    if not any(paragraph.kind is not _Kind.PROSE for paragraph in paragraphs):
        return []
    parts = [_document(paragraphs)] if _is_document(paragraphs) else _code_parts(lines, paragraphs)
    snippets: list[Snippet] = []
    done = 0
    for part in parts:
        start, end = part[0].start, part[-1].end
        snippets.append(Snippet(tuple(lines[start:end]), prose="\n".join(lines[done:start]).strip(), source_line=start))
        done = end
    return snippets


def has_loose_marker(message: Message) -> bool:
    """Whether a marker stands outside of every fence and none inside: then the fences are the file's own text."""
    if any(has_marker(block.lines) for block in message.blocks):
        return False
    outside = [line for block in message.blocks for line in block.prose]
    return any(comment_text(line) and is_elision(line) for line in (*outside, *message.tail))


def _paragraphs(lines: Sequence[str]) -> list[_Paragraph]:
    """The paragraphs in order; code right below the first sentences is one of its own."""
    found: list[_Paragraph] = []
    start = 0
    while start < len(lines):
        if not lines[start].strip():
            start += 1
            continue
        end = start
        while end < len(lines) and lines[end].strip():
            end += 1
        if not found:
            end = start + _num_told(lines[start:end])
        found.append(_Paragraph(_kind_of(lines[start:end]), start, end, "\n".join(lines[start:end])))
        start = end
    return found


def _num_told(lines: Sequence[str]) -> int:
    """Counts the lines of a first paragraph that introduce the code below them; all where it isn't so."""
    if is_prose_paragraph(lines):
        return len(lines)
    for count in range(min(len(lines) - 1, 12), 0, -1):
        told = "\n".join(lines[:count])
        if is_prose(told) and (is_first_person(told) or told.rstrip().endswith(":")):
            return count
    return len(lines)


def _kind_of(lines: Sequence[str]) -> _Kind:
    if any(_MARKUP.match(line) for line in lines) or _has_title(lines):
        return _Kind.MARKUP
    if all(comment_text(line) is not None or is_elision(line) for line in lines):
        return _Kind.COMMENT
    return _Kind.PROSE if is_prose_paragraph(lines) else _Kind.CODE


def _has_title(lines: Sequence[str]) -> bool:
    """Whether one of the lines is underlined."""
    titled = pairwise(lines)
    return any(
        _UNDERLINE.match(line) and title[:1].strip() and comment_text(title) is None and not is_elision(title)
        for title, line in titled
    )


def _is_document(paragraphs: Sequence[_Paragraph]) -> bool:
    """Whether what the message edits is a text rather than a program."""
    around = [number for number, paragraph in enumerate(paragraphs) if paragraph.kind is not _Kind.PROSE]
    inner = paragraphs[around[0] : around[-1] + 1]
    kinds = [paragraph.kind for paragraph in inner]
    num_code = kinds.count(_Kind.CODE)
    has_markup = _Kind.MARKUP in kinds
    if not num_code and not has_markup:
        return any(is_elision(line) for paragraph in paragraphs for line in paragraph.text.split("\n")) and any(
            paragraph.kind is _Kind.PROSE for paragraph in paragraphs[1:]
        )
    num_text = sum(paragraph.kind is _Kind.PROSE and (has_markup or not paragraph.is_told) for paragraph in inner)
    if has_markup:
        # Beside titles and directives, what is indented may as well be an example.
        num_code = sum(paragraph.kind is _Kind.CODE and not paragraph.text[:1].isspace() for paragraph in inner)
    return num_text + kinds.count(_Kind.MARKUP) > num_code


def _document(paragraphs: Sequence[_Paragraph]) -> list[_Paragraph]:
    """The paragraphs of a text file without the message's own first and last ones."""
    first, last = 0, len(paragraphs)
    opening = paragraphs[0]
    if opening.kind is _Kind.PROSE and (is_first_person(opening.text) or _ABOUT_THE_FILE.match(opening.text)):
        first = 1
    while last - first > 1 and paragraphs[last - 1].kind is _Kind.PROSE and _CLOSING.match(paragraphs[last - 1].text):
        last -= 1
    return list(paragraphs[first:last])


def _code_parts(lines: Sequence[str], paragraphs: Sequence[_Paragraph]) -> list[list[_Paragraph]]:
    """The runs of code paragraphs between what the message tells its reader."""
    first = _num_leading(paragraphs)
    last = max(number for number, paragraph in enumerate(paragraphs) if paragraph.kind is not _Kind.PROSE)
    inside = _inside(lines)
    parts: list[list[_Paragraph]] = [[]]
    for number, paragraph in enumerate(paragraphs[first:], first):
        is_told = number > last or (paragraph.is_told and not inside[paragraph.start])
        if paragraph.kind is not _Kind.PROSE or not is_told:
            parts[-1].append(paragraph)
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]


def _num_leading(paragraphs: Sequence[_Paragraph]) -> int:
    """Counts the paragraphs that the message speaks before its code. A list is one of them below a colon only."""
    for number, paragraph in enumerate(paragraphs):
        is_loose = number > 0 and not paragraphs[number - 1].text.rstrip().endswith((":", "："))
        if paragraph.kind is not _Kind.PROSE or (is_loose and is_list(paragraph.text.split("\n"))):
            return number
    return len(paragraphs)


def _inside(lines: Sequence[str]) -> list[bool]:
    """For each line whether a comment or string that started above it goes on there."""
    inside: list[bool] = []
    is_quoted = dict.fromkeys(_QUOTES, False)
    is_bracketed = [False] * len(_BRACKETS)
    for line in lines:
        inside.append(any(is_quoted.values()) or any(is_bracketed))
        for quotes in _QUOTES:
            is_quoted[quotes] ^= bool(line.count(quotes) % 2)
        for number, (opening, closing) in enumerate(_BRACKETS):
            start = max((found.start() for found in opening.finditer(line)), default=-1)
            if start >= 0 or closing in line:
                is_bracketed[number] = start > line.rfind(closing)
    return inside
