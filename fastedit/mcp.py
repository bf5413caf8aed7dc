"""The agent tool: an MCP server that edits files below the folders it is allowed to, and no others.

edit_file       merges an edit into a file and writes it: whole or not at all
preview_edit    the same, and nothing is written
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

from anyio import to_thread
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import ToolAnnotations
from pydantic import Field

from fastedit import __version__
from fastedit.config import is_loopback
from fastedit.edits import parse_message
from fastedit.edits.message import edits_for
from fastedit.errors import Code, EditRefused, InputRefused, SettingsError
from fastedit.files import SYSTEM, Filesystem, recover
from fastedit.workspace import ChangeAction, FileChange, Options, Plan, write_plan
from fastedit.workspace.locate import Location, locate
from fastedit.workspace.plan import plan_file

INSTRUCTIONS = (
    "Use edit_file to change a file. Write only the lines that change, with a line or two around them, and stand "
    "`... existing code ...` in a comment for everything that stays as it is. A file that doesn't exist is made."
)
EDIT_FILE = """\
Merge an edit into a file. The file is written whole or, where the edit can't be placed for certain, left as it is; \
then the answer says why and where it may have been meant.

target_file: the file, relative to the workspace's root or absolute.
instructions: one sentence in the first person about what the edit does.
code_edit: the lines that change with a line or two around them, and a comment such as `// ... existing code ...` for \
what stays. A unified diff or SEARCH/REPLACE blocks are taken as well.
choose: only after an answer that numbers several readings of this very code_edit: the number of the one that is meant.
"""
PREVIEW_EDIT = "What edit_file would do to the file, as a unified diff. Nothing is written. The arguments are the same."
HOW_TO_CHOOSE = (
    "Where one of these readings is what you mean, call again with the same arguments and `choose` set to its number; "
    "else show more of the lines around the change."
)
MCP_PATH = "/mcp"

Number = Annotated[int, Field(ge=0, description="The reading that is meant, as a refusal numbers them; 0 for none.")]


@dataclass(frozen=True, slots=True)
class Editor:
    """Edits files below `roots` (absolute, without symbolic links). how: mode, scope and the like."""

    roots: tuple[Path, ...]
    how: Options
    fs: Filesystem = SYSTEM

    def edit(
        self, target_file: str, instructions: str, code_edit: str, choose: int = 0, *, is_dry: bool = False
    ) -> str:
        """Edits a file, and returns what an agent reads about it: a summary, warnings and the diff. Raises EditRefused.

        choose: the number of the reading to take, 0 for none.
        """
        root, location = self._find(target_file)
        edits, warnings = edits_for(parse_message(code_edit), location.name)
        if any(edit.new_path for edit in edits):
            raise InputRefused(Code.INVALID_PATH, "edits that move a file aren't taken here")
        recover(root, fs=self.fs)
        planned = plan_file(location, edits, self._options(instructions, code_edit, choose), fs=self.fs)
        written = write_plan(Plan(root, (planned,)), dry_run=is_dry, fs=self.fs)
        told = [f"warning: {one.message} ({one.code})" for one in (*warnings, *planned.change.warnings, *written)]
        return "\n".join([_summary(planned.change, is_dry), *told, "", planned.change.diff]).rstrip("\n")

    def _options(self, instructions: str, code_edit: str, choose: int) -> Options:
        how = self.how
        return Options(
            code_edit,
            instructions or None,
            how.mode,
            how.scope,
            max_file_bytes=how.max_file_bytes,
            apply=how.apply,
            choice=replace(how.choice, reading=choose or None),
        )

    def _find(self, name: str) -> tuple[Path, Location]:
        """The root above the file, and the place in it. Raises InputRefused(INVALID_PATH) where there is none."""
        if os.path.isabs(name):
            return self._find_absolute(name)
        places = [(root, locate(root, name)) for root in self.roots]
        there = [(root, place) for root, place in places if os.path.lexists(place.path)]
        if len(there) > 1:
            raise InputRefused(Code.INVALID_PATH, f"{name} is in several roots: name it from the file system's root")
        return there[0] if there else places[0]

    def _find_absolute(self, name: str) -> tuple[Path, Location]:
        real = Path(os.path.realpath(name))
        for root in self.roots:
            if real.is_relative_to(root) and real != root:
                return root, locate(root, real.relative_to(root).as_posix())
        raise InputRefused(Code.INVALID_PATH, f"{name} is outside of {', '.join(map(str, self.roots))}")


def make_server(editor: Editor) -> MCPServer:
    """An MCP server with the editor's tools."""
    server = MCPServer("fastedit", title="FastEdit", instructions=INSTRUCTIONS, version=__version__)
    writes = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
    reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)

    async def edit_file(target_file: str, instructions: str, code_edit: str, choose: Number = 0) -> str:
        return await _answer(partial(editor.edit, target_file, instructions, code_edit, choose))

    async def preview_edit(target_file: str, instructions: str, code_edit: str, choose: Number = 0) -> str:
        return await _answer(partial(editor.edit, target_file, instructions, code_edit, choose, is_dry=True))

    server.tool(description=EDIT_FILE, annotations=writes, structured_output=False)(edit_file)
    server.tool(description=PREVIEW_EDIT, annotations=reads, structured_output=False)(preview_edit)
    return server


def run_stdio(server: MCPServer) -> None:
    """Serves the client at standard input and output until it goes."""
    server.run("stdio")


def run_http(server: MCPServer, host: str, port: int) -> None:
    """Serves streamable HTTP at `/mcp`. Raises SettingsError for an address that others can reach: they could edit."""
    if not is_loopback(host):
        raise SettingsError(f"others can reach {host}, and MCP over HTTP has no keys here: use a loopback address")
    names = [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]", host)]
    security = TransportSecuritySettings(allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names])
    server.run("streamable-http", host=host, port=port, streamable_http_path=MCP_PATH, transport_security=security)


def real_roots(roots: Sequence[Path]) -> tuple[Path, ...]:
    """The folders without symbolic links. Raises SettingsError for what is no folder."""
    real = tuple(Path(os.path.realpath(root)) for root in roots)
    for root, given in zip(real, roots, strict=True):
        if not root.is_dir():
            raise SettingsError(f"{given} is no folder")
    return real


def load_ahead() -> None:
    """Begins to load the target, so that the first edit finds it there."""
    from fastedit.targets.default import default_target

    threading.Thread(target=partial(default_target, is_required=False), name="fastedit-load", daemon=True).start()


async def _answer(edit: partial[str]) -> str:
    """Works out an edit while the server goes on answering others. Raises ToolError with words for the model."""
    try:
        return await to_thread.run_sync(edit)
    except EditRefused as refusal:
        raise ToolError(_explained(refusal)) from refusal


def _summary(change: FileChange, is_dry: bool) -> str:
    if change.action is ChangeAction.NONE:
        return f"{change.path}: nothing to change"
    lines = change.diff.split("\n")
    added, removed = (sum(line.startswith(sign) and not line.startswith(sign * 3) for line in lines) for sign in "+-")
    verb = f"would {change.action.value}" if is_dry else f"{change.action.value.removesuffix('e')}ed"
    strategy = f", {change.applied.strategy}" if change.applied else ""
    return f"{change.path}: {verb}, +{added} -{removed}{strategy}"


def _explained(refusal: EditRefused) -> str:
    places = [
        f"  {one.path}:{one.start_line + 1}: {one.words}" if one.end_line else f"  {one.path}: {one.words}"
        for one in refusal.candidates
    ]
    how = [HOW_TO_CHOOSE] if any(one.choice for one in refusal.candidates) else []
    return "\n".join([f"Nothing was changed. {refusal.code.value}: {refusal.message}", *places, *how])
