"""`fastedit serve`: from the command line's words to a running service."""

from __future__ import annotations

from typing import Annotated

import typer

from fastedit.errors import SettingsError

WRONG_USAGE = 2


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on.", show_default="8377")] = None,
    target: Annotated[
        str | None,
        typer.Option(help="A registered target, a folder, or none.", show_default="embedded, or none", metavar="NAME"),
    ] = None,
    device: Annotated[str | None, typer.Option(help="auto, cpu, cuda, ...", show_default="auto")] = None,
    log_level: Annotated[
        str | None, typer.Option(help="debug, info, warning or error.", show_default="info", metavar="LEVEL")
    ] = None,
) -> None:
    """Serve POST /v1/apply and its kin over HTTP. Everything else is set by FASTEDIT_* variables."""
    from fastedit.cli.output import print_error

    try:
        from fastedit.server.run import serve as run
        from fastedit.server.settings import load_server_settings
    except ImportError as error:
        print_error(f"the service isn't installed ({error}): pip install 'fastedit-apply[server]'")
        raise typer.Exit(WRONG_USAGE) from error
    try:
        run(load_server_settings(host=host, port=port, target=target, device=device, log_level=log_level))
    except SettingsError as error:
        print_error(str(error))
        raise typer.Exit(WRONG_USAGE) from error
