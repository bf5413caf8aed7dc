"""Run with the interpreter of a peer's own environment: JSON lines in, JSON lines out.

usage: python -I runner.py PEER

In: {"file": name or null, "files": {name: text}, "format": ..., "message": ..., "patch": ..., "snippets": [...]}.
Out: {"files": {name: text}} or {"refused": why} or {"error": why}. It knows nothing of the package beside it, since the
peer's environment may have a package of the same name.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Request = Mapping[str, Any]
Files = dict[str, str]
BLOCK = re.compile(r"^<{5,} ?SEARCH[^\n]*\n(.*?)^={5,}[^\n]*\n(.*?)^>{5,} ?REPLACE", re.MULTILINE | re.DOTALL)
AIDER = {
    "search_replace": ("editblock_coder", "EditBlockCoder"),
    "udiff": ("udiff_coder", "UnifiedDiffCoder"),
    "v4a": ("patch_coder", "PatchCoder"),
    "whole": ("wholefile_coder", "WholeFileCoder"),
}


class Refused(Exception):
    """The tool says that it can't."""


def main() -> None:
    """Answers until the input ends."""
    peer = PEERS[sys.argv[1]]
    answers = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        for line in sys.stdin:
            print(json.dumps(_answer(peer, json.loads(line))), file=answers, flush=True)


def _answer(peer: Callable[[Request], Files], request: Request) -> dict[str, Any]:
    try:
        return {"files": peer(request)}
    except Refused as refusal:
        return {"refused": str(refusal)}
    except Exception as error:  # noqa: BLE001 - whatever another tool raises is an answer here
        return {"error": f"{type(error).__name__}: {error}"[:200]}


def aider(request: Request) -> Files:
    """The files as aider's coder of the format leaves them, without a chat around it.

    It gets patches without the prose around them, and is told the file's name where only that is missing.
    """
    message = request["message"]
    if request["format"] == "udiff":
        message = f"```diff\n{request['patch']}```\n"
    elif request["format"] == "v4a":
        message = _codex_patch(message)
    try:
        return _aider_edited(request, message)
    except ValueError as error:  # what a coder raises so that the model tries again
        if "filename" in str(error) and request["format"] == "search_replace" and request["file"]:
            named = re.sub(r"^(```[^\n]*\n)?<{5,9} ?SEARCH", rf"{request['file']}\n\g<0>", message, flags=re.MULTILINE)
            if named != message:
                return aider({**request, "message": named, "file": None})
        raise Refused(str(error).strip().split("\n", 1)[0]) from error


def _aider_edited(request: Request, message: str) -> Files:
    module, name = AIDER[request["format"]]
    inputs = importlib.import_module("aider.io")
    coder_class = getattr(importlib.import_module(f"aider.coders.{module}"), name)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        _write(root, request["files"])
        coder = object.__new__(coder_class)
        coder.io = inputs.InputOutput(pretty=False, yes=True, fancy_input=False)
        coder.root, coder.fence, coder.abs_root_path_cache = str(root), ("```", "```"), {}
        coder.abs_fnames = {str(root / file) for file in request["files"]}
        coder.abs_read_only_fnames, coder.shell_commands, coder.dry_run = set(), [], False
        coder.partial_response_content = message
        # Which of a diff's hunks names no file, aider says with None.
        edits = [(edit[0] or request["file"], *edit[1:]) for edit in coder.get_edits()]
        if not edits:
            raise Refused("no edits found")
        for edit in edits:
            if not edit[0] or not (root / edit[0]).resolve().is_relative_to(root):
                raise Refused("an edit names no file of the folder")
        coder.apply_edits_dry_run(edits)
        coder.apply_edits(edits)
        return _read(root)


def fastedits(request: Request) -> Files:
    """One file with each snippet matched in turn, by text alone."""
    match = importlib.import_module("fastedit.inference.text_match")
    name = request["file"]
    original = request["files"][name]
    text = original.replace("\r\n", "\n")
    for snippet in request["snippets"]:
        text = match.deterministic_edit(text, match._normalize_markers(snippet))
        if text is None:
            raise Refused("no match")
    if original.endswith("\n") and not text.endswith("\n"):
        text += "\n"
    return {**request["files"], name: text.replace("\n", "\r\n") if "\r\n" in original else text}


def apply_edit_block(request: Request) -> Files:
    """One file with all SEARCH/REPLACE blocks in it."""
    tool = importlib.import_module("apply_edit_block")
    blocks = tool.parse_blocks(request["message"])
    if not blocks:
        raise Refused("no blocks found")
    name = request["file"]
    result = tool.apply_edits(request["files"][name], blocks)
    if not result.ok:
        raise Refused("a block has no match")
    return {**request["files"], name: result.text}


def purepatch(request: Request) -> Files:
    """One file with a unified diff, or with all SEARCH/REPLACE blocks."""
    tool = importlib.import_module("purepatch")
    name = request["file"]
    text = request["files"][name]
    try:
        if request["format"] == "udiff":
            return {**request["files"], name: tool.apply(request["patch"], text)}
        blocks = BLOCK.findall(request["message"])
        if not blocks:
            raise Refused("no blocks found")
        for search, replace in blocks:
            text = tool.apply_edit(text, search, replace)
    except tool.PatchError as error:
        raise Refused(str(error).split("\n", 1)[0]) from error
    return {**request["files"], name: text}


def codex_apply_patch(request: Request) -> Files:
    """All files with a patch in the format `*** Begin Patch`."""
    tool = importlib.import_module("codex_apply_patch")
    patch = _codex_patch(request["message"])
    try:
        result = tool.apply_patch_in_memory(patch, dict(request["files"]))
    except Exception as error:
        raise Refused(str(error).split("\n", 1)[0]) from error
    left = {name: text for name, text in request["files"].items() if name not in result.deleted}
    return {**left, **{name: text for name, text in result.files.items() if name not in result.deleted}}


def _codex_patch(message: str) -> str:
    """The patch alone. Raises Refused where there is none."""
    found = re.search(r"^\*\*\* Begin Patch.*?^\*\*\* End Patch", message, re.MULTILINE | re.DOTALL)
    if found is None:
        raise Refused("no patch found")
    return found.group() + "\n"


def _write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))


def _read(root: Path) -> Files:
    paths = sorted(path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes().decode("utf-8", "replace") for path in paths}


PEERS: dict[str, Callable[[Request], Files]] = {
    "aider": aider,
    "apply-edit-block": apply_edit_block,
    "codex-apply-patch": codex_apply_patch,
    "fastedits": fastedits,
    "purepatch": purepatch,
}

if __name__ == "__main__":
    main()
