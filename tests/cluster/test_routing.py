"""A front tells requests about one file from those about others, whatever shape they have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fastedit.cluster.routing import HEAD_CHARACTERS, RoutedRequest, read_asked

ORIGINAL = "def area():\n    return 1\n"


def key(fields: dict[str, Any], **headers: str) -> str:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return read_asked(named, json.dumps(fields).encode()).key


def chat(content: str) -> dict[str, Any]:
    return {"messages": [{"role": "system", "content": "x"}, {"role": "user", "content": content}]}


def test_one_file_has_one_key_however_it_is_edited() -> None:
    first = key({"original": ORIGINAL, "edit": "a", "path": "a.py"})
    assert first == key({"original": ORIGINAL + "x = 1\n", "edit": "b", "path": "a.py", "mode": "structural"})
    assert first != key({"original": ORIGINAL, "edit": "a", "path": "b.py"})


def test_projects_and_keys_tell_files_of_one_name_apart() -> None:
    fields = {"original": ORIGINAL, "edit": "a", "path": "a.py"}
    keys = [key(fields), key(fields, x_session_id="mine"), key(fields, authorization="Bearer theirs")]
    assert len(set(keys)) == 3
    assert all(len(one) == 64 and "mine" not in one for one in keys)


@pytest.mark.parametrize(
    "shape",
    [
        lambda text: {"original": text, "edit": "a"},
        lambda text: {"initial_code": text, "edit_snippet": "a"},
        lambda text: {"initialCode": text, "editSnippet": "a"},
        lambda text: chat(f"<instruction>do</instruction><code>{text}</code>\n<update>a</update>"),
        lambda text: chat("edit") | {"prediction": {"type": "content", "content": text}},
        lambda text: {"requests": [{"original": text, "edit": "a"}, {"original": "b", "edit": "b"}]},
    ],
)
def test_a_file_without_a_name_is_known_by_its_beginning(shape: Any) -> None:
    head = "x" * HEAD_CHARACTERS
    assert key(shape(head + "one")) == key(shape(head + "two")) != ""
    assert key(shape(head)) != key(shape("y" + head))


NO_FILE = (b"", b"{", b"[]", b"3", b"\xff", b'{"path": 3}', b'{"messages": [3]}', b'{"requests": [3]}')


@pytest.mark.parametrize("body", NO_FILE)
def test_what_names_no_file_is_any_replicas(body: bytes) -> None:
    assert read_asked({}, body) == RoutedRequest()


def test_an_answer_in_pieces_is_told() -> None:
    assert read_asked({}, b'{"stream": true, "path": "a"}').is_streamed
    assert not read_asked({}, b'{"stream": "true", "path": "a"}').is_streamed
