"""Tool calls are edits, as JSON however they are wrapped or written out with tags; other JSON is a file's text."""

from __future__ import annotations

import json

import pytest

import fastedit
from fastedit.anchor.hints import prose_of
from fastedit.edits import parse_message
from fastedit.edits.calls import with_fences
from fastedit.edits.model import Action, Format
from fastedit.errors import Code, EditRefused, EditUnreadable

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


CODE = "def area(side):\n    # ...\n    return side**2"
WRITTEN = {
    "tags": f"I'll square it.\n\n<edit_file>\n<target_file>shapes/area.py</target_file>\n<instructions>square it"
    f"</instructions>\n<code_edit>\n{CODE}\n</code_edit>\n</edit_file>\n\nThat's all.",
    "tags around the code": f"<edit_file>\n<path>shapes/area.py</path>\n<code_edit>{CODE}</code_edit>\n</edit_file>",
    "parameters": '<invoke name="edit_file">\n<parameter name="target_file">shapes/area.py</parameter>\n'
    f'<parameter name="instructions">square it</parameter>\n<parameter name="code_edit">\n{CODE}\n</parameter>\n'
    "</invoke>",
    "labels in a tag": f"<edit_file>\ntarget: shapes/area.py\ninstructions: square it\ncode_edit:\n{CODE}\n"
    "</edit_file>",
    "labels": f"edit_file\ntarget_file: shapes/area.py\ninstructions: square it\ncode_edit: |\n{CODE}",
    "labels and a fence": f"edit_file\ntarget_file: shapes/area.py\ncode_edit:\n```python\n{CODE}\n```",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_written_out_call_is_read_by_its_code(name: str) -> None:
    """Tags and labels of a call never reach the file: they once were new lines of it."""
    (edit,) = parse_message(WRITTEN[name])
    assert edit.path == "shapes/area.py"
    assert [list(snippet.lines) for snippet in edit.snippets] == [CODE.split("\n")]
    assert edit.message is not None
    assert "return" not in prose_of(edit.message)
    original = "def area(side):\n    check(side)\n    return side\n"
    applied = fastedit.apply(original, WRITTEN[name], path="area.py", mode="structural", certainty=0.5)
    assert applied.text == "def area(side):\n    check(side)\n    return side**2\n"


JSON_CALL = {"name": "edit_file", "arguments": EDIT_FILE}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(JSON_CALL),
        f"I square it.\n\n{json.dumps(JSON_CALL, indent=2)}\n",
        f"I square it.\n\n```json\n{json.dumps(JSON_CALL)}\n```\nThat's all.\n",
        f"```json\n{json.dumps(REPLACE)}\n```\nand\n```json\n{json.dumps(JSON_CALL)}\n```",
    ],
)
def test_a_call_speaks_with_its_own_words(text: str) -> None:
    """The rest of JSON isn't taken for words about the edit: it once was, and its edits were refused for that."""
    edit = parse_message(text)[-1]
    assert (edit.path, edit.format) == ("a.py", Format.LAZY)
    assert [snippet.lines for snippet in edit.snippets] == [tuple(LAZY.removesuffix("\n").split("\n"))]
    assert edit.message is not None
    words = prose_of(edit.message)
    assert "I ..." in words
    assert ("I square it." in text) == ("I square it." in words)
    assert not set('{}"') & set(words)
    assert "code_edit" not in words


def test_json_beside_other_code_is_no_call() -> None:
    text = f"Call it with\n\n```json\n{json.dumps(JSON_CALL)}\n```\n\nand in `b.py`\n\n```python\nx = 1\n```\n"
    assert {edit.path for edit in parse_message(text)} != {"a.py"}


def test_lines_keep_their_numbers() -> None:
    for name in ("tags", "labels in a tag"):
        made = with_fences(WRITTEN[name]).split("\n")
        assert len(made) == len(WRITTEN[name].split("\n"))
        assert made.index("def area(side):") == WRITTEN[name].split("\n").index("def area(side):")


def test_a_call_that_is_cut_off_is_refused() -> None:
    with pytest.raises(EditUnreadable, match="never closed"):
        parse_message(WRITTEN["tags"].partition("**2")[0])


def test_fences_and_other_texts_stay_as_they_are() -> None:
    """A document may be about such calls, and code may hold a longer run of backticks."""
    shown = f"Document it:\n\n```xml\n<code_edit>\n{CODE}\n</code_edit>\n```\n"
    assert with_fences(shown) == shown
    assert with_fences("path: a.py") == "path: a.py"
    made = with_fences("<code_edit>\n```py\nx\n```\n</code_edit>")
    assert made == "````\n```py\nx\n```\n````"


def test_a_request_in_tags_is_its_edit_with_its_instruction() -> None:
    """As apply models take it. The tags and the original in it were once written into the file."""
    text = f"<instruction>I return three.</instruction>\n<code>{ORIGINAL}</code>\n<update>{LAZY}</update>\n"
    (edit,) = parse_message(text)
    assert (edit.format, edit.path) == (Format.LAZY, None)
    assert [snippet.lines for snippet in edit.snippets] == [tuple(LAZY.removesuffix("\n").split("\n"))]
    assert edit.message is not None
    assert "I return three." in prose_of(edit.message)
    assert "return 1" not in edit.message
