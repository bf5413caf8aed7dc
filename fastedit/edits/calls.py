"""Edits in a text that consists of tool calls, as agents send them to `str_replace`, `edit_file` and their kin.

They are bare, or as APIs wrap them:

    {"path": "a.py", "old_str": "...", "new_str": "..."}                     also old_string, oldText; edits: [...]
    {"command": "create", "path": "a.py", "file_text": "..."}
    {"target_file": "a.py", "code_edit": "..."}                              the code_edit is a message of its own
    {"name": ..., "arguments": "{...}"}, {"type": "tool_use", "input": {...}}, {"tool_calls": [...]}, a list of such
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
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
_FENCED = re.compile(r"\s*```(?:json)?\n(.*?)\n```\s*", re.DOTALL)
Call = dict[str, Any]


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
