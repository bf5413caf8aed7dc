"""python -m evals.applybench peers: other tools that merge edits, each in an environment of its own.

Without more words it lists them; `install NAME...` installs some of them (`all`: each) below build/applybench.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.accuracy.peers import COMMANDS, FENCE, bare_diff, level_of
from evals.applybench.records import Record

HOME = Path(__file__).resolve().parents[2] / "build" / "applybench" / "peers"
RUNNER = Path(__file__).parent / "runner.py"
TIMEOUT_S = 60.0
INSTALL_TIMEOUT_S = 900
_NAMED = {
    "udiff": re.compile(r"^\+\+\+ (?:b/)?([^\t\n]+?)[ \t\r]*$", re.MULTILINE),
    "v4a": re.compile(r"^\*\*\* Update File: (.+?)[ \t\r]*$", re.MULTILINE),
    "search_replace": re.compile(r"([\w@.+/-]+)"),
    "whole": re.compile(r"([\w@.+/-]+)"),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool made of a record. files: all of them, or None where it refused. note: why, in a few words.

    certainty: what it claimed for its answer, or for the one that it withheld.
    """

    files: Mapping[str, str] | None
    note: str = ""
    certainty: float | None = None


class PeerError(Exception):
    """The tool is not there, or broke down."""


@dataclass(frozen=True)
class Peer:
    """A tool. formats: what it reads; command: of a program; packages: what its environment holds, else.

    is_alone: its packages are installed without what they need (the part that is used needs none of it).
    takes_several: it can be given messages that name their files.
    """

    name: str
    formats: frozenset[str]
    what: str
    command: Sequence[str] = ()
    packages: Sequence[str] = ()
    is_alone: bool = False
    takes_several: bool = False

    def reads(self, record: Record) -> bool:
        return record.format in self.formats and (record.file is not None or self.takes_several)

    def missing(self) -> str:
        """Why it can't be used, or an empty text."""
        if self.command:
            return "" if shutil.which(self.command[0]) else f"there is no program {self.command[0]}"
        is_there = _python(self.name).exists()
        return "" if is_there else f"not installed: python -m evals.applybench peers install {self.name}"


def _program(name: str, command: str) -> Peer:
    what = " ".join(word for word in COMMANDS[command] if word not in ("{level}", "-"))
    return Peer(name, frozenset({"udiff"}), what, command=COMMANDS[command], takes_several=True)


PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        _program("git-apply", "git apply"),
        _program("git-apply-lenient", "git apply, lenient"),
        _program("patch", "patch"),
        _program("patch-fuzzy", "patch, fuzz 3"),
        Peer(
            "aider",
            frozenset({"search_replace", "udiff", "v4a", "whole"}),
            "the coders of aider, one for each format",
            packages=("aider-chat==0.86.2",),
            takes_several=True,
        ),
        Peer(
            "fastedits",
            frozenset({"lazy"}),
            "its deterministic matcher, each fence given the whole file",
            packages=("fastedits==0.5.0",),
            is_alone=True,
        ),
        Peer(
            "apply-edit-block",
            frozenset({"search_replace"}),
            "a ladder of looser and looser matches",
            packages=("apply-edit-block==0.1.0",),
        ),
        Peer(
            "purepatch",
            frozenset({"udiff", "search_replace"}),
            "patch with fuzz, and loose blocks, in Python",
            packages=("purepatch==0.1.1",),
        ),
        Peer(
            "codex-apply-patch",
            frozenset({"v4a"}),
            "the patch tool of Codex",
            packages=("codex-apply-patch==0.4.0",),
            takes_several=True,
        ),
    )
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 1 where one could not be installed; the others are, all the same."""
    parser = argparse.ArgumentParser(prog="python -m evals.applybench peers", description=__doc__)
    parser.add_argument("command", choices=("list", "install"), nargs="?", default="list")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args(arguments)
    if options.command == "list":
        for peer in PEERS.values():
            print(f"{peer.name:18} {', '.join(sorted(peer.formats)):34} {peer.missing() or 'ready':12} {peer.what}")
        return 0
    wanted = [name for name, peer in PEERS.items() if peer.packages] if "all" in options.names else options.names
    is_complete = True
    for name in wanted:
        try:
            print(f"{name}: {install(name)}")
        except PeerError as error:
            print(f"PEER {name}: {error}", file=sys.stderr)
            is_complete = False
    return 0 if is_complete else 1


def install(name: str) -> str:
    """What was done. Raises PeerError, in one line, where the environment can't be made."""
    peer = PEERS.get(name)
    if peer is None:
        raise PeerError(f"there is no such peer (known: {', '.join(PEERS)})")
    if not peer.packages:
        return peer.missing() or "nothing to install"
    folder = HOME / name
    try:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True, timeout=120)
        pip = [str(_python(name)), "-m", "pip", "--disable-pip-version-check", "install", "-qq"]
        alone = ["--no-deps"] * peer.is_alone
        subprocess.run([*pip, *alone, *peer.packages], check=True, capture_output=True, timeout=INSTALL_TIMEOUT_S)
    except (subprocess.SubprocessError, OSError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        told = (getattr(error, "stderr", None) or b"").decode("utf-8", "replace").strip().split("\n")[-1]
        raise PeerError(f"can't be installed here: {told or type(error).__name__}") from error
    return "installed " + ", ".join(peer.packages)


def _python(name: str) -> Path:
    return HOME / name / "bin" / "python"


def ask(peer: Peer, record: Record) -> Answer:
    """What a peer makes of a record that it reads. Raises PeerError where it breaks down or takes too long."""
    place = _place(record)
    files = {place if name == record.file and place else name: text for name, text in record.files.items()}
    answer = _run(peer, record, place, files) if peer.command else _asked(peer, record, place, files)
    if answer.files is None or place == record.file:
        return answer
    renamed = {str(record.file) if name == place else name: text for name, text in answer.files.items()}
    return Answer(renamed, answer.note)


def _place(record: Record) -> str | None:
    """Where the only file is put: where the message says that a file of its name is, else under its own name."""
    pattern = _NAMED.get(record.format)
    if record.file is None or pattern is None:
        return record.file
    for named in pattern.findall(record.message):
        if named.endswith(f"/{record.file}") and not named.startswith(("/", "../")) and "/../" not in named:
            return str(named)
    return record.file


def _run(peer: Peer, record: Record, place: str | None, files: Mapping[str, str]) -> Answer:
    """A program's answer: it finds the files where the diff says, and the bare diff on its input."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "tree")
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
        diff = bare_diff(record.message, place or next(iter(files), "file"))
        words = [word.format(level=level_of(diff, place or next(iter(files), "file"))) for word in peer.command]
        env = {"PATH": os.environ.get("PATH", os.defpath), "GIT_CEILING_DIRECTORIES": folder}
        try:
            subprocess.run(
                words, cwd=root, env=env, input=diff.encode(), capture_output=True, check=True, timeout=TIMEOUT_S
            )
        except subprocess.CalledProcessError as error:
            return Answer(None, f"exit status {error.returncode}")
        except subprocess.TimeoutExpired as error:
            raise PeerError(f"took over {TIMEOUT_S:g} s") from error
        found = sorted(path for path in root.rglob("*") if path.is_file() and path.suffix not in (".orig", ".rej"))
        return Answer({p.relative_to(root).as_posix(): p.read_bytes().decode("utf-8", "replace") for p in found})


def _asked(peer: Peer, record: Record, place: str | None, files: Mapping[str, str]) -> Answer:
    """The answer of a tool with an environment of its own."""
    snippets = [match.group(2) for match in FENCE.finditer(record.message)] or [record.message]
    patch = bare_diff(record.message, place or next(iter(files), "file")) if record.format == "udiff" else ""
    request = {"file": place, "files": dict(files), "format": record.format, "message": record.message, "patch": patch,
               "snippets": snippets}  # fmt: skip
    reply = _conversation(peer.name).ask(request)
    if "files" in reply:
        return Answer(reply["files"])
    if "refused" in reply:
        return Answer(None, str(reply["refused"])[:120])
    raise PeerError(str(reply.get("error", "an answer that can't be read")))


@dataclass
class _Conversation:
    """A running peer; it is started again after it broke down."""

    name: str
    process: subprocess.Popen[bytes] | None = field(default=None)

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The reply as parsed JSON. Raises PeerError."""
        try:
            process = self._running()
            assert process.stdin is not None
            process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            process.stdin.flush()
            reply = json.loads(self._line(process))
        except (OSError, ValueError) as error:
            self.close()
            raise PeerError(f"broke down: {type(error).__name__}") from error
        return dict(reply)

    def _running(self) -> subprocess.Popen[bytes]:
        if self.process is None or self.process.poll() is not None:
            # -I: neither this package's folder nor the caller's may hide what the environment has.
            self.process = subprocess.Popen(
                [str(_python(self.name)), "-I", str(RUNNER), self.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=tempfile.gettempdir(),
            )
            atexit.register(self.close)
        return self.process

    def _line(self, process: subprocess.Popen[bytes]) -> bytes:
        assert process.stdout is not None
        read = b""
        while not read.endswith(b"\n"):
            if not select.select([process.stdout], [], [], TIMEOUT_S)[0]:
                self.close()
                raise PeerError(f"took over {TIMEOUT_S:g} s")
            piece = os.read(process.stdout.fileno(), 1 << 20)
            if not piece:
                raise OSError("the tool has ended")
            read += piece
        return read

    def close(self) -> None:
        """End the tool, if it runs."""
        if self.process is not None:
            self.process.kill()
            for stream in (self.process.stdin, self.process.stdout):
                if stream is not None:
                    stream.close()
            self.process.wait()
            self.process = None


_conversations: dict[str, _Conversation] = {}


def _conversation(name: str) -> _Conversation:
    return _conversations.setdefault(name, _Conversation(name))


def close_all() -> None:
    """End all tools that were started."""
    for conversation in _conversations.values():
        conversation.close()
