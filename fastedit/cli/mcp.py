"""`fastedit mcp`: from the command line's words to a running MCP server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fastedit.errors import SettingsError

if TYPE_CHECKING:
    from fastedit.workspace import Options


@click.command()
@click.option(
    "--root",
    type=click.Path(path_type=Path, readable=False),
    multiple=True,
    help="A folder whose files may be edited, instead of the working folder; may be given again.",
)
@click.option("--http", is_flag=True, help="Speak streamable HTTP at /mcp instead of stdio.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --http: the loopback address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8378,
    show_default=True,
    help="With --http: the port to listen on.",
)
@click.option("--target", metavar="NAME", help="A registered target, a folder, or none.")
@click.option("--server", metavar="URL", help="Let the service at URL merge the edits.")
def mcp(root: tuple[Path, ...], http: bool, host: str, port: int, target: str | None, server: str | None) -> None:
    """Serve edit_file and preview_edit to agents over MCP."""
    try:
        from fastedit import mcp as tool
    except ImportError as error:
        raise SettingsError(
            f"the agent tool isn't installed ({error}): pip install 'fastedit-apply[server]'"
        ) from error
    how = _how(target, server)
    made = tool.make_server(tool.Editor(tool.real_roots(list(root) or [Path()]), how))
    if how.apply is None and how.mode != "structural":
        tool.load_ahead()
    if http:
        tool.run_http(made, host, port)
    else:
        tool.run_stdio(made)


def _how(target: str | None, server: str | None) -> Options:
    """The options for merging edits, from the command line and the environment. Raises SettingsError."""
    from fastedit.config import load_settings, web_address
    from fastedit.targets.default import choose_default
    from fastedit.workspace import Options

    settings = load_settings()
    if name := target or settings.target:
        choose_default(name)
    how = Options("", None, settings.mode, settings.scope, max_file_bytes=settings.max_file_bytes)
    url = server or settings.url
    if url is None:
        return how
    try:
        web_address(url)
    except ValueError as error:
        raise SettingsError(f"--server {error}") from error
    from fastedit.remote import Remote

    return replace(how, apply=Remote(url, settings.api_key).apply_edits)
