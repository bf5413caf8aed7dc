"""The agent tool, asked by the SDK's own client: in the process, over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from fastedit.errors import EditRefused, SettingsError
from fastedit.mcp import Editor, make_server, real_roots, run_http
from fastedit.merged import Choice
from fastedit.workspace import Options
from support import choosing
from support.filesystem import FaultyFilesystem, fail_from_then_on
from support.serving import EDIT, EXPECTED, ORIGINAL, PATCH, running, wait_until

HOW = Options("", mode="structural")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "shapes.py").write_text(ORIGINAL)
    (tmp_path / "outside.py").write_text(ORIGINAL)
    return root


def editor(*roots: Path, **how: Any) -> Editor:
    return Editor(real_roots(roots), HOW, **how)


def with_client(server: Any, work: Callable[[Client], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with Client(server, read_timeout_seconds=60) as client:
            return await work(client)

    return asyncio.run(run())


def call(server: Any, tool: str, target_file: str, code_edit: str = EDIT, **more: Any) -> CallToolResult:
    arguments = {"target_file": target_file, "instructions": "I rename it.", "code_edit": code_edit, **more}
    return with_client(server, lambda client: client.call_tool(tool, arguments))


def text_of(result: CallToolResult) -> str:
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


def stdio(root: Path, *arguments: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "fastedit", "mcp", "--root", str(root), "--target", "none", *arguments],
        env={"PYTHONPATH": str(Path(__file__).parents[2])},
    )


def test_the_tools_and_what_is_said_of_them(root: Path) -> None:
    tools = {one.name: one for one in with_client(make_server(editor(root)), lambda client: client.list_tools()).tools}
    assert set(tools) == {"edit_file", "preview_edit"}
    for tool in tools.values():
        assert list(tool.input_schema["properties"]) == ["target_file", "instructions", "code_edit", "choose"]
        assert tool.input_schema["required"] == ["target_file", "instructions", "code_edit"]
        assert tool.annotations is not None
    assert tools["edit_file"].annotations.destructive_hint
    assert tools["edit_file"].annotations.idempotent_hint
    assert tools["preview_edit"].annotations.read_only_hint


def test_an_edit_is_written_and_shown(root: Path) -> None:
    result = call(make_server(editor(root)), "edit_file", "src/shapes.py")
    assert not result.is_error
    assert text_of(result).startswith("src/shapes.py: updated, +1 -1, structural\n")
    assert "+    return 'solid'" in text_of(result)
    assert (root / "src" / "shapes.py").read_text() == EXPECTED
    again = call(make_server(editor(root)), "edit_file", "src/shapes.py")
    assert text_of(again).startswith("src/shapes.py: nothing to change")


def test_a_preview_writes_nothing(root: Path) -> None:
    before = sorted(root.rglob("*"))
    result = call(make_server(editor(root)), "preview_edit", str(root / "src" / "shapes.py"), PATCH)
    assert text_of(result).startswith("src/shapes.py: would update, +1 -1, structural\n")
    assert (root / "src" / "shapes.py").read_text() == ORIGINAL
    assert sorted(root.rglob("*")) == before


def test_a_new_file_is_made(root: Path) -> None:
    result = call(make_server(editor(root)), "edit_file", "src/deep/new.py", "x = 1\n")
    assert text_of(result).startswith("src/deep/new.py: created, +1 -0")
    assert (root / "src" / "deep" / "new.py").read_text() == "x = 1\n"


@pytest.mark.parametrize(
    "name",
    [
        "../outside.py", "{outside}", "/etc/passwd", "src/../../outside.py", "link.py", "linked/outside.py",
        ".git/config", "src", "", ".", "~/x.py", "fifo", "/dev/stdin", "a\nb.py", "src/\u200bx.py", "x" * 300, "{root}",
        "C:\\x.py", "..\\outside.py",
    ],
)  # fmt: skip
def test_nothing_outside_the_roots_is_touched(root: Path, name: str) -> None:
    outside = root.parent / "outside.py"
    (root / "link.py").symlink_to(outside)
    (root / "linked").symlink_to(root.parent)
    os.mkfifo(root / "fifo")
    result = call(make_server(editor(root)), "edit_file", name.format(outside=outside, root=root))
    assert result.is_error
    assert "Nothing was changed. INVALID_PATH" in text_of(result)
    assert outside.read_text() == ORIGINAL
    assert (root / "src" / "shapes.py").read_text() == ORIGINAL


def test_several_roots(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "here.py").write_text(ORIGINAL)
    server = make_server(editor(root, other))
    assert not call(server, "edit_file", "here.py").is_error
    assert (other / "here.py").read_text() == EXPECTED
    assert not call(server, "edit_file", str(root / "src" / "shapes.py")).is_error
    (root / "here.py").write_text(ORIGINAL)
    result = call(server, "edit_file", "here.py")
    assert result.is_error
    assert "several roots" in text_of(result)
    with pytest.raises(SettingsError):
        real_roots([root / "src" / "shapes.py"])


def test_a_refusal_is_an_answer_that_helps(root: Path) -> None:
    (root / "twice.py").write_text(ORIGINAL + "\n\ndef other():\n    return 'shape'\n")
    result = call(make_server(editor(root)), "edit_file", "twice.py", PATCH)
    assert result.is_error
    assert "ANCHOR_AMBIGUOUS" in text_of(result)
    assert text_of(result).count("twice.py:") >= 2
    assert "`choose`" not in text_of(result)


def test_a_reading_is_chosen_by_its_number(root: Path) -> None:
    (root / "src" / "shapes.py").write_text(choosing.ORIGINAL)
    server = make_server(Editor(real_roots([root]), replace(HOW, choice=Choice(1.0))))
    refused = text_of(call(server, "edit_file", "src/shapes.py", choosing.EDIT))
    assert "`choose` set to its number" in refused
    (number,) = re.findall(r"shapes\.py:\d+: reading (2) ", refused)
    for tool in ("preview_edit", "edit_file"):
        result = call(server, tool, "src/shapes.py", choosing.EDIT, choose=int(number))
        assert not result.is_error
    expected = choosing.reading(2, path="src/shapes.py", instruction="I rename it.")
    assert (root / "src" / "shapes.py").read_text() == expected


@pytest.mark.parametrize("choose", [-1, 1000, "x"])
def test_a_reading_that_there_is_not_is_an_error(root: Path, choose: object) -> None:
    result = call(make_server(editor(root)), "edit_file", "src/shapes.py", choose=choose)
    assert result.is_error
    assert (root / "src" / "shapes.py").read_text() == ORIGINAL


def test_wrong_arguments_are_the_callers_fault(root: Path) -> None:
    server = make_server(editor(root))
    result = with_client(server, lambda client: client.call_tool("edit_file", {"target_file": "src/shapes.py"}))
    assert result.is_error
    assert "code_edit" in text_of(result)


def test_a_file_that_changed_meanwhile_is_left_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fastedit import mcp

    planned = mcp.plan_file

    def plan_and_disturb(*arguments: Any, **named: Any) -> Any:
        plan = planned(*arguments, **named)
        (root / "src" / "shapes.py").write_text("# mine\n")
        return plan

    monkeypatch.setattr(mcp, "plan_file", plan_and_disturb)
    result = call(make_server(editor(root)), "edit_file", "src/shapes.py")
    assert result.is_error
    assert "CONTENT_CONFLICT" in text_of(result)
    assert (root / "src" / "shapes.py").read_text() == "# mine\n"


def test_a_full_disk_leaves_the_file_as_it_was(root: Path) -> None:
    counting = FaultyFilesystem()
    editor(root, fs=counting).edit("src/shapes.py", "", PATCH)
    (root / "src" / "shapes.py").write_text(ORIGINAL)
    for n in range(1, len(counting.calls) + 1):
        try:
            told = editor(root, fs=FaultyFilesystem(fail_from_then_on, n)).edit("src/shapes.py", "", PATCH)
        except EditRefused:
            editor(root).edit("src/shapes.py", "", PATCH, is_dry=True)  # undoes what couldn't be undone
            assert (root / "src" / "shapes.py").read_text() == ORIGINAL
        else:
            assert "solid" in told
            assert (root / "src" / "shapes.py").read_text() == EXPECTED
        (root / "src" / "shapes.py").write_text(ORIGINAL)


def test_two_edits_of_one_file_at_once(root: Path) -> None:
    async def both(client: Client) -> list[CallToolResult]:
        def ask(edit: str) -> Awaitable[CallToolResult]:
            arguments = {"target_file": "src/shapes.py", "instructions": "", "code_edit": edit}
            return client.call_tool("edit_file", arguments)

        other = PATCH.replace("    return 'shape'", "import math").replace("    return 'solid'", "import cmath")
        return list(await asyncio.gather(ask(PATCH), ask(other)))

    results = with_client(make_server(editor(root)), both)
    text = (root / "src" / "shapes.py").read_text()
    for result, new in zip(results, ("'solid'", "import cmath"), strict=True):
        assert (new in text) == (not result.is_error)
        assert not result.is_error or "CONTENT_CONFLICT" in text_of(result)
    assert not all(result.is_error for result in results)


def test_over_stdio(root: Path) -> None:
    result = call(stdio(root), "edit_file", "src/shapes.py")
    assert not result.is_error
    assert (root / "src" / "shapes.py").read_text() == EXPECTED


def test_over_stdio_with_a_service(root: Path) -> None:
    with running() as service:
        result = call(stdio(root, "--server", service.url), "edit_file", "src/shapes.py")
        assert service.metric("fastedit_applied_total", strategy="structural") == 1
    assert not result.is_error
    assert (root / "src" / "shapes.py").read_text() == EXPECTED


def test_over_http(root: Path) -> None:
    import httpx

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "fastedit", "mcp", "--http", "--port", str(port), "--root", str(root)]
    process = subprocess.Popen([*command, "--target", "none"], stderr=subprocess.PIPE)
    url = f"http://127.0.0.1:{port}/mcp"
    try:
        wait_until(lambda: _answers(port))
        assert not call(url, "edit_file", "src/shapes.py").is_error
        assert (root / "src" / "shapes.py").read_text() == EXPECTED
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        plain = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        for headers in ({"host": "evil.example"}, {"origin": "https://evil.example"}):
            answer = httpx.post(url, content=json.dumps(asked), headers=plain | headers, trust_env=False)
            assert answer.status_code in (403, 421)
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def test_nobody_else_can_reach_it(root: Path) -> None:
    with pytest.raises(SettingsError, match="loopback"):
        run_http(make_server(editor(root)), "0.0.0.0", 1)
