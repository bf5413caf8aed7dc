"""JSON tool calls are edits, however they are wrapped; other JSON is a file's text."""

from __future__ import annotations

import json

import pytest

import fastedit
from fastedit.edits import parse_message
from fastedit.edits.model import Action, Format
from fastedit.errors import Code, EditRefused

ORIGINAL = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"
EXPECTED = ORIGINAL.replace("return 2", "return 3")
REPLACE = {"path": "a.py", "old_str": "def b():\n    return 2\n", "new_str": "def b():\n    return 3\n"}
LAZY = "# ... existing code ...\ndef b():\n    return 3\n"
EDIT_FILE = {"target_file": "a.py", "instructions": "I ...", "code_edit": LAZY}
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@ def b():\n-    return 2\n+    return 3\n*** End Patch"
FUNCTION = {"type": "function", "function": {"name": "str_replace", "arguments": json.dumps(REPLACE)}}


@pytest.mark.parametrize(
    "call",
    [
        REPLACE,
        {"command": "str_replace", **REPLACE},
        {"file_path": "a.py", "old_string": "    return 2", "new_string": "    return 3"},
        {"path": "a.py", "edits": [{"oldText": "    return 2", "newText": "    return 3"}]},
        EDIT_FILE,
        {"input": PATCH},
        FUNCTION,
        {"role": "assistant", "content": None, "tool_calls": [FUNCTION]},
        {"choices": [{"message": {"tool_calls": [FUNCTION]}}]},
        {"content": [{"type": "text", "text": "So:"}, {"type": "tool_use", "name": "edit_file", "input": EDIT_FILE}]},
        {"type": "function_call", "name": "edit_file", "arguments": json.dumps(EDIT_FILE)},
        [REPLACE],
    ],
)
@pytest.mark.parametrize("is_fenced", [False, True])
def test_calls_are_applied(call: object, is_fenced: bool) -> None:
    text = json.dumps(call, indent=1)
    edit = f"```json\n{text}\n```\n" if is_fenced else text
    assert [one.path for one in parse_message(edit)] == ["a.py"]
    assert fastedit.apply(ORIGINAL, edit, path="a.py").text == EXPECTED


def test_several_calls_are_applied_in_their_order() -> None:
    calls = [{"path": "a.py", "old_str": f"    return {n}", "new_str": f"    return {n + 1}"} for n in (2, 3)]
    assert fastedit.apply(ORIGINAL, json.dumps(calls[:1]), path="a.py").text == EXPECTED
    (edit,) = parse_message(json.dumps(calls))
    assert (edit.format, len(edit.hunks)) == (Format.SEARCH_REPLACE, 2)


@pytest.mark.parametrize(
    "call",
    [
        {"command": "create", "path": "new.py", "file_text": "x = 1\n"},
        {"name": "write_file", "arguments": {"path": "new.py", "content": "x = 1\n"}},
        {"path": "new.py", "old_str": "", "new_str": "x = 1\n"},
    ],
)
def test_files_are_created(call: object) -> None:
    (edit,) = parse_message(json.dumps(call))
    assert (edit.action, edit.path, edit.snippets[0].lines) == (Action.CREATE, "new.py", ("x = 1",))


def test_what_is_not_there_is_refused() -> None:
    with pytest.raises(EditRefused) as refused:
        fastedit.apply(ORIGINAL, json.dumps({**REPLACE, "old_str": "nothing like it"}), path="a.py")
    assert refused.value.code is Code.ANCHOR_NOT_FOUND
    with pytest.raises(EditRefused, match="lacks"):
        parse_message(json.dumps({"path": "a.py", "edits": [{"old_str": "x"}]}))


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "shop", "version": "1.1.0"}\n',
        '{"path": "a.py", "content": "the text of a page"}\n',
        '[{"old": 1, "new_string": "x"}]\n',
        '{"old_str": 1',
    ],
)
def test_other_json_is_code(text: str) -> None:
    assert {edit.format for edit in parse_message(text)} <= {Format.LAZY, Format.WHOLE}
