"""Exact readers of messages, written without FastEdit: what a rendering has to mean to anyone."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

FENCE = re.compile(r"^(`{3,})[^\n]*\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


def fences(message: str) -> list[str]:
    """The texts of the message's fences."""
    return [match.group(2) for match in FENCE.finditer(message)]


def git_apply(folder: Path, path: str, original: str, message: str) -> str:
    """What `git apply` makes of the message's diff."""
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(original.encode("utf-8"))
    diff = "".join(fences(message))
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    if "--- a/" not in diff:
        command.insert(2, "-p0")
    outside = os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}  # of any repository: making one takes longer
    subprocess.run(command, cwd=folder, env=outside, input=diff.encode("utf-8"), check=True, capture_output=True)
    return file.read_bytes().decode("utf-8")


BLOCK = re.compile(
    r"^(?:<{7} (?:SEARCH|ORIGINAL)|-{7} SEARCH)\n(.*?)^={7}\n(.*?)^(?:>{7} (?:REPLACE|UPDATED)|\+{7} REPLACE)$",
    re.MULTILINE | re.DOTALL,
)


def literal_replace(original: str, message: str) -> str:
    """What the message's SEARCH/REPLACE blocks make of a text with LF ends, each found once as whole lines."""
    text = "\n" + original if original.endswith("\n") else "\n" + original + "\n"
    for old, new in BLOCK.findall(message):
        assert text.count("\n" + old) == 1, f"found {text.count(chr(10) + old)} times:\n{old}"
        text = text.replace("\n" + old, "\n" + new)
    result = text[1:]
    return result if original.endswith("\n") else result[:-1]


def v4a_apply(original: str, message: str) -> str:
    """What a V4A patch makes of a text: each hunk behind the one before, from its `@@` line on, found exactly."""
    lines = original.split("\n")
    position = 0
    for scope, body in _v4a_hunks("".join(fences(message))):
        start = position
        if scope:
            start = next(n for n in range(position, len(lines)) if lines[n].strip() == scope.strip())
        old = [line[1:] for line in body if line[0] in " -"]
        new = [line[1:] for line in body if line[0] in " +"]
        at = next(n for n in range(start, len(lines)) if lines[n : n + len(old)] == old)
        lines[at : at + len(old)] = new
        position = at + len(new)
    return "\n".join(lines)


def _v4a_hunks(patch: str) -> Iterator[tuple[str, list[str]]]:
    scope, body = "", []
    for line in [*patch.split("\n"), "@@"]:
        if line.startswith("@@"):
            if body:
                yield scope, body
            scope, body = line[2:].strip(), []
        elif line and not line.startswith("***"):
            body.append(line)


def expert_read(original: list[str], snippet: list[str], is_marker: re.Pattern[str]) -> list[str]:
    """What a lazy snippet makes of a text without blank or repeated lines, by the reading rules alone.

    Kept lines are known by their text; a marker stands for all between its neighbours; where two neighbours have no
    marker between them, what lay there goes; what the snippet doesn't reach stays.
    """
    where = {line: number for number, line in enumerate(original)}
    result: list[str] = []
    position, is_open, pending = 0, True, list[str]()
    for line in snippet:
        if not line.strip():
            continue
        if is_marker.search(line):
            result += pending
            pending, is_open = [], True
        elif line in where:
            between = original[position : where[line]] if is_open else []
            result += [*between, *pending, line]
            position, is_open, pending = where[line] + 1, False, []
        elif is_open:
            pending.append(line)
        else:
            result.append(line)
    rest = original[position:]
    return [*result, *rest, *pending]
