"""Edits in a text that consists of tool calls, as agents send them to `str_replace`, `edit_file` and their kin.

They are bare, or as APIs wrap them, and an agent's words may stand around them:

    {"path": "a.py", "old_str": "...", "new_str": "..."}                     also old_string, oldText; edits: [...]
    {"command": "create", "path": "a.py", "file_text": "..."}
    {"target_file": "a.py", "code_edit": "..."}                              the code_edit is a message of its own
    {"name": ..., "arguments": "{...}"}, {"type": "tool_use", "input": {...}}, {"tool_calls": [...]}, a list of such

Or an agent writes the call of `edit_file` out, with words around it:

    <target_file>a.py</target_file> <instructions>...</instructions> <code_edit>...</code_edit>
    target_file: a.py    instructions: ...    code_edit: ...
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from fastedit.edits.model import Action, Edit, Format, PatchHunk, Snippet
from fastedit.edits.search_replace import pair_lines
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
MAX_HEADER = 8  # lines of a written-out call before its code
_FENCED = re.compile(r"^```(?:json|tool_call|tool_code)?[ \t]*\n(.*?)\n```[ \t]*$", re.DOTALL | re.MULTILINE)
_OBJECT = re.compile(r"^[ \t]*[{\[]", re.MULTILINE)
Call = dict[str, Any]
_WRITTEN = re.compile(r"code_?edit", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_PARAMETER = r'parameter\s+name="'
_CODE_TAG = re.compile(rf'\s*<(?:code_?edit|{_PARAMETER}code_?edit")>(?P<code>.*)', re.IGNORECASE)
_CODE_END = re.compile(r"(?P<code>.*?)</(?:code_?edit|parameter)>\s*", re.IGNORECASE)
_CODE_LABEL = re.compile(r"\s*code_?edit\s*:\s*\|?-?\s*", re.IGNORECASE)
_CALL_TAG = re.compile(
    r"\s*</?(?:edit_?file|edit|tool_?call|tool_?use|function_?calls?|invoke)\b[^<>]*>\s*", re.IGNORECASE
)
_CALL_NAME = re.compile(r"\s*edit_?file:?\s*", re.IGNORECASE)
_NAMES_PATH = "|".join(PATHS)
_PATH_TAG = re.compile(rf'\s*<(?:target|{_NAMES_PATH}|{_PARAMETER}(?:{_NAMES_PATH})")>\s*(?P<text>.*?)\s*</[\w-]+>\s*')
_PATH_LABEL = re.compile(rf"\s*(?:target|{_NAMES_PATH})\s*:\s*(?P<text>\S+)\s*")
TOLD = ("instruction", "instructions", "explanation", "description")
_NAMES_TOLD = "|".join(TOLD)
_TOLD_TAG = re.compile(rf'\s*<(?:{_NAMES_TOLD}|{_PARAMETER}(?:{_NAMES_TOLD})")>(?P<text>.*?)(?:</[\w-]+>)?\s*')
_TOLD_LABEL = re.compile(rf"\s*(?:{_NAMES_TOLD})\s*:\s*(?P<text>.*)")


def with_fences(text: str) -> str:
    """The text with the code of written-out calls in fences, below the names of their files and their instructions.

    One line stays one line, unless code begins or ends on that of its tag.
    """
    if not _WRITTEN.search(text):
        return text
    return "\n".join(_WrittenCalls(text.split("\n"), _fence_for(text)).fenced())


def _fence_for(text: str) -> str:
    """A fence that a text doesn't have."""
    runs = re.findall(r"`{3,}", text)
    return "`" * (max(map(len, runs), default=2) + 1)


class _WrittenCalls:
    """The lines of a text with written-out calls in it. fence: one that they don't have."""

    def __init__(self, lines: Sequence[str], fence: str) -> None:
        self._lines, self._fence = lines, fence
        marks = (at for at, line in enumerate(lines) if _CODE_TAG.match(line) or _CODE_LABEL.fullmatch(line))
        self._headers = {at for mark in marks for at in range(mark - MAX_HEADER, mark)}
        self._closing = ""  # what ends the fence that the line is in
        self._end: re.Pattern[str] | None = None  # what ends the code that the line is in

    def fenced(self) -> Iterator[str]:
        """Yields the lines as `with_fences` has them."""
        for number, line in enumerate(self._lines):
            if self._end is not None:
                yield from self._code(line)
            elif self._closing or _FENCE.match(line):
                yield self._as_it_is(line)
            else:
                yield from self._outside(number, line)
        if self._end is _CALL_TAG:  # a label's code has no end of its own
            yield self._fence

    def _code(self, line: str) -> Iterator[str]:
        """Yields a line of code, or its end."""
        end = self._end.fullmatch(line) if self._end is not None else None
        if end is None:
            yield line
            return
        if self._end is _CODE_END and end["code"].strip():
            yield end["code"]
        self._end = None
        yield self._fence

    def _as_it_is(self, line: str) -> str:
        """A line of a fence that is there already."""
        found = _FENCE.match(line)
        if found and (not self._closing or found[1].startswith(self._closing)):
            self._closing = "" if self._closing else found[1]
        return line

    def _outside(self, number: int, line: str) -> Iterator[str]:
        """Yields a line of words, or the beginning of code."""
        tag = _CODE_TAG.fullmatch(line)
        if tag is not None:
            self._end = _CODE_END
            yield self._fence
            if tag["code"].strip():
                yield from self._code(tag["code"])
        elif _CODE_LABEL.fullmatch(line):
            behind = next((one for one in self._lines[number + 1 :] if one.strip()), "")
            self._end = None if _FENCE.match(behind) else _CALL_TAG
            yield "" if self._end is None else self._fence
        elif number in self._headers or (self._headers and _CALL_TAG.fullmatch(line)):
            yield _told_line(line)
        else:
            yield line


def _told_line(line: str) -> str:
    """A line of a written-out call that holds no code, as prose has it."""
    if (path := _PATH_TAG.fullmatch(line) or _PATH_LABEL.fullmatch(line)) is not None:
        return f"File: {path['text']}"
    if (told := _TOLD_TAG.fullmatch(line) or _TOLD_LABEL.fullmatch(line)) is not None:
        return told["text"]
    return "" if _CALL_TAG.fullmatch(line) or _CALL_NAME.fullmatch(line) else line


def calls_in(text: str) -> list[Call]:
    """The calls that a text consists of, with words before them or around their fences; none where it is anything else.

    Words that aren't a call's own are put to its instruction.
    """
    if not any(name in text for name in (*OLD, *WHOLE, *MESSAGES)):
        return []
    calls: list[Call] = []
    for words, said in _told_in(text):
        found = _calls_of(said)
        if not found or any(map(_FENCE.match, words.split("\n"))):
            return []
        told = "\n\n".join(filter(None, (words.strip(), words_of_call(found[0]))))
        calls += [_with_words(found[0], told), *found[1:]]
    return calls


def _told_in(text: str) -> Iterator[tuple[str, str]]:
    """Yields the pieces of a text that may be calls, each with the words before it, the last one's behind it too."""
    fenced = list(_FENCED.finditer(text))
    if fenced:
        starts = [0, *(found.end() for found in fenced)]
        words = [text[start : found.start()] for start, found in zip(starts, fenced, strict=False)]
        words[-1] += "\n" + text[starts[-1] :]
        yield from zip(words, (found[1] for found in fenced), strict=True)
    elif (found := _OBJECT.search(text)) is not None:
        yield text[: found.start()], text[found.start() :]


def _calls_of(said: str) -> list[Call]:
    try:
        return list(_calls(json.loads(said), "", 0))
    except (ValueError, RecursionError):
        return []


def _with_words(call: Call, words: str) -> Call:
    rest = {name: value for name, value in call.items() if name not in TOLD}
    return rest | {TOLD[0]: words} if words else rest


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


def fenced_below(words: str, code: str) -> str:
    """Words with code in a fence below them, as a message has these."""
    first = next((line for line in code.split("\n") if line.strip()), "")
    if _FENCE.match(first):
        return f"{words}\n\n{code}"
    fence = _fence_for(code)
    return "\n".join((words, "", fence, code.removesuffix("\n"), fence))


def words_of_call(call: Call) -> str:
    """The words of a call about its edit."""
    return "\n\n".join(call[name] for name in TOLD if isinstance(call.get(name), str))


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
