"""Ways to apply messages to a folder: fastedit in this process, or a server. All of a message's files, or none."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from evals.swebench.edits import Message
from fastedit.edits import parse_message
from fastedit.edits.message import edits_for
from fastedit.edits.model import Action, Edit
from fastedit.errors import Code, EditRefused, InputRefused
from fastedit.files import SYSTEM, UTF_8, Delete, Operation, Write, commit, encode, read_text_file
from fastedit.workspace import FileChange, Options, Plan, apply_patch, write_plan
from fastedit.workspace.locate import locate, locate_file
from fastedit.workspace.plan import plan_file

if TYPE_CHECKING:
    from fastedit.targets import Target

MODES = ("structural", "auto", "model")
MAX_BYTES = 16 << 20
TIMEOUT_S = 120
BUSY_TRIES, BUSY_WAIT_S = 6, 1.0


@dataclass(frozen=True, slots=True)
class AppliedFile:
    """One file that was applied. strategy, warnings: as `fastedit.Applied` has them (the codes)."""

    path: str
    strategy: str
    warnings: tuple[str, ...] = ()


class Applier(Protocol):
    """Applies one message to the files below a folder. Raises EditRefused, having written nothing."""

    def __call__(self, root: Path, message: Message) -> list[AppliedFile]: ...


@dataclass(frozen=True, slots=True)
class InProcess:
    """`fastedit.apply` itself. target: None for the one that fastedit takes of its own accord."""

    mode: str
    target: Target | None = None

    def __call__(self, root: Path, message: Message) -> list[AppliedFile]:
        if message.path is None:
            return _told(apply_patch(message.text, root, mode=self.mode, target=self.target))
        root = root.resolve()
        edits, warnings = edits_for(parse_message(message.text), message.path)
        options = Options(message.text, mode=self.mode, target=self.target)
        plan = Plan(root, (plan_file(locate_file(root, message.path), edits, options),), tuple(warnings))
        write_plan(plan)
        return _told(plan.changes)


def _told(changes: Iterable[FileChange]) -> list[AppliedFile]:
    return [
        AppliedFile(
            change.path,
            change.applied.strategy if change.applied is not None else change.action.value,
            tuple(dict.fromkeys(warning.code for warning in change.warnings)),
        )
        for change in changes
    ]


@dataclass(frozen=True, slots=True)
class Server:
    """POST /v1/apply for every file of a message."""

    url: str
    mode: str = "auto"

    def __call__(self, root: Path, message: Message) -> list[AppliedFile]:
        root = root.resolve()
        jobs = [(message.path, Action.UPDATE)] if message.path is not None else _files_of(message.text)
        operations: list[Operation] = []
        told: list[AppliedFile] = []
        for name, action in jobs:
            operation, file = self._one(root, name, action, message.text)
            operations.append(operation)
            told.append(file)
        commit(root, operations, fs=SYSTEM)
        return told

    def _one(self, root: Path, name: str, action: Action, text: str) -> tuple[Operation, AppliedFile]:
        location = locate(root, name)
        is_new = action is Action.CREATE and not location.path.exists()
        path = location.path if is_new else locate_file(root, name).path
        file = None if is_new else read_text_file(path, max_bytes=MAX_BYTES, name=name)
        if file is not None and action is Action.DELETE:
            return Delete(path, file.sha256), AppliedFile(name, action.value)
        original = "" if file is None or action is Action.CREATE else file.text
        answer = self._post({"original": original, "edit": text, "path": name, "mode": self.mode})
        warnings = tuple(dict.fromkeys(str(warning.get("code")) for warning in answer.get("warnings", ())))
        data = encode(str(answer["text"]), UTF_8 if file is None else file.encoding)
        told = AppliedFile(name, str(answer.get("strategy", "")), warnings)
        return Write(path, data, None if file is None else file.sha256), told

    def _post(self, body: dict[str, Any]) -> dict[str, Any]:
        """The server's answer. Raises EditRefused with the code that it gives, or TARGET_UNAVAILABLE for no answer."""
        request = urllib.request.Request(
            f"{self.url.rstrip('/')}/v1/apply",
            data=json.dumps(body).encode("utf-8"),
            headers={"Content-Type": "application/json"},
        )
        for attempt in range(1, BUSY_TRIES + 1):
            try:
                with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
                    answer: dict[str, Any] = json.loads(response.read())
                    return answer
            except urllib.error.HTTPError as error:
                if error.code != 429 or attempt == BUSY_TRIES:
                    raise _refusal(error) from error
                time.sleep(float(error.headers.get("Retry-After") or BUSY_WAIT_S))
            except (OSError, ValueError) as error:
                raise EditRefused(Code.TARGET_UNAVAILABLE, f"no answer from {self.url}: {error}") from error
        raise AssertionError("the last try returns or raises")


def _refusal(error: urllib.error.HTTPError) -> EditRefused:
    try:
        told = json.loads(error.read())["error"]
        return EditRefused(told["code"], str(told.get("message", "")))
    except (ValueError, KeyError, TypeError):
        return EditRefused(Code.ENGINE_ERROR, f"the server answered {error.code}")


def _files_of(text: str) -> list[tuple[str, Action]]:
    """The files that a message names with what becomes of them, each once. Raises EditRefused."""
    edits: Sequence[Edit] = parse_message(text)
    files: dict[str, Action] = {}
    for edit in edits:
        if edit.path is None or edit.new_path is not None:
            raise InputRefused(Code.EDIT_UNPARSABLE, "the message doesn't name its files, or moves one")
        files.setdefault(edit.path, edit.action)
    return list(files.items())
