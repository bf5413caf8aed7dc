"""The recipes for editors without a plugin, done as far as there is something to do without the editor itself."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters
from openai import OpenAI

from support.serving import EDIT, EXPECTED, ORIGINAL, running

pytestmark = pytest.mark.slow

RECIPES = Path(__file__).parents[2] / "editor_plugins" / "recipes"
REPOSITORY = Path(__file__).parents[2]
NAME = "my shapes.py"  # file names have spaces


def recipe(name: str) -> str:
    return (RECIPES / name).read_text()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a file."""
    (tmp_path / NAME).write_text(ORIGINAL)
    return tmp_path


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A shell's environment in which `fastedit` is this one, and the edit has been copied."""
    folder = tmp_path_factory.mktemp("bin")
    copied = folder / "copied"
    copied.write_text(EDIT)
    programs = {
        "fastedit": f'exec {shlex.quote(sys.executable)} -m fastedit "$@"',
        "xclip": f'[ "$*" = "-out -selection clipboard" ] && exec cat {shlex.quote(str(copied))}',
    }
    for name, line in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    own = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(REPOSITORY)}
    return {**os.environ, **own, "FASTEDIT_MODE": "structural", "FASTEDIT_TARGET": "none"}


def edit_over_mcp(server: dict[str, Any], project: Path, environment: dict[str, str]) -> None:
    """Starts the server as the recipe says, and has it edit the file."""
    program = shutil.which(server["command"], path=environment["PATH"])
    assert program is not None
    parameters = StdioServerParameters(command=program, args=server["args"], env=environment, cwd=project)

    async def edit() -> Any:
        async with Client(parameters, read_timeout_seconds=60) as client:
            arguments = {"target_file": NAME, "instructions": "I rename it.", "code_edit": EDIT}
            return await client.call_tool("edit_file", arguments)

    assert not asyncio.run(edit()).is_error
    assert (project / NAME).read_text() == EXPECTED


def test_claude_code_and_cline(project: Path, environment: dict[str, str]) -> None:
    edit_over_mcp(json.loads(recipe("mcp.json"))["mcpServers"]["fastedit"], project, environment)


def test_zed_agent(project: Path, environment: dict[str, str]) -> None:
    edit_over_mcp(json.loads(recipe("zed-settings.json"))["context_servers"]["fastedit"], project, environment)


def test_zed_task(project: Path, environment: dict[str, str]) -> None:
    (task,) = json.loads(recipe("zed-tasks.json"))
    run_in_shell(task["command"], project, {**environment, "ZED_FILE": str(project / NAME)})


def test_helix(project: Path, environment: dict[str, str]) -> None:
    """Helix puts the name into the command, quotes and all, and gives it to a shell."""
    write, command, reload = tomllib.loads(recipe("helix.toml"))["keys"]["normal"]["space"]["e"]
    assert (write, reload) == (":write", ":reload")
    run_in_shell(command.removeprefix(":run-shell-command ").replace("%{buffer_name}", NAME), project, environment)


def test_jetbrains(project: Path, environment: dict[str, str]) -> None:
    options = {
        option.attrib["name"]: option.attrib["value"]
        for option in ET.fromstring(recipe("jetbrains-tool.xml")).iter("option")
    }
    assert options["COMMAND"] == "sh"
    parameters = shlex.split(options["PARAMETERS"])
    command = ["sh", *(parameter.replace("$FilePath$", str(project / NAME)) for parameter in parameters)]
    subprocess.run(command, cwd=project, env=environment, check=True, capture_output=True)
    assert (project / NAME).read_text() == EXPECTED


def run_in_shell(command: str, project: Path, environment: dict[str, str]) -> None:
    subprocess.run(["sh", "-c", command], cwd=project, env=environment, check=True, capture_output=True)
    assert (project / NAME).read_text() == EXPECTED


def test_continue() -> None:
    """Continue fills its template in and asks as OpenAI's client does."""
    yaml = pytest.importorskip("yaml")
    (model,) = yaml.safe_load(recipe("continue.yaml"))["models"]
    assert model["roles"] == ["apply"]
    prompt = model["promptTemplates"]["apply"]
    prompt = prompt.replace("{{{ original_code }}}", ORIGINAL).replace("{{{ new_code }}}", EDIT)
    with running() as service:
        address = model["apiBase"].replace("http://127.0.0.1:8377", service.url)
        client = OpenAI(base_url=address, api_key=model["apiKey"])
        chunks = client.chat.completions.create(
            model=model["model"], messages=[{"role": "user", "content": prompt}], stream=True
        )
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert text == EXPECTED


@pytest.mark.skipif(shutil.which("emacs") is None, reason="no emacs")
def test_emacs(project: Path) -> None:
    script = f"""
    (progn
      (load {json.dumps(str(RECIPES / "fastedit.el"))} nil t)
      (fset 'yes-or-no-p (lambda (&rest _) t))
      (find-file {json.dumps(NAME)})
      (buffer-enable-undo)
      (goto-char (point-max))
      (insert "# not saved\\n")
      (undo-boundary)
      (setq before (buffer-string))
      (kill-new (getenv "EDIT"))
      (call-interactively 'fastedit-apply)
      (write-region nil nil "after" nil 'quiet)
      (undo-boundary) (undo-start) (undo-more 1) (undo-more 1)
      (write-region nil nil "undone" nil 'quiet)
      (condition-case problem (fastedit-apply "<<<<<<< SEARCH\\nno\\n=======\\nx\\n>>>>>>> REPLACE\\n")
        (user-error (write-region (error-message-string problem) nil "refused" nil 'quiet)))
      (setq fastedit-url "http://127.0.0.1:1")
      (condition-case problem (fastedit-apply "x = 1\\n")
        (user-error (write-region (error-message-string problem) nil "down" nil 'quiet))))
    """
    with running() as service:
        address = f'(setq fastedit-url "{service.url}")'
        command = ["emacs", "--batch", "--quick", "--eval", address, "--eval", script]
        environment = {**os.environ, "EDIT": EDIT}
        subprocess.run(command, cwd=project, env=environment, check=True, capture_output=True)
    assert (project / "after").read_text() == EXPECTED + "# not saved\n"
    assert (project / "undone").read_text() == ORIGINAL + "# not saved\n"
    assert "ANCHOR_NOT_FOUND" in (project / "refused").read_text()
    assert "UNREACHABLE" in (project / "down").read_text()
    assert (project / NAME).read_text() == ORIGINAL
