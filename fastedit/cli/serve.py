"""`fastedit serve`: from the command line's words to a running service."""

from __future__ import annotations

import click

from fastedit.errors import SettingsError

WRONG_USAGE = 2


@click.command()
@click.option("--host", help="The address to listen on; 127.0.0.1 without the option.")
@click.option("--port", type=int, help="The port to listen on; 8377 without the option.")
@click.option("--target", metavar="NAME", help="A registered target, a folder, or none.")
@click.option("--device", help="auto, cpu, cuda, ...")
@click.option("--log-level", metavar="LEVEL", help="debug, info, warning or error.")
def serve(host: str | None, port: int | None, target: str | None, device: str | None, log_level: str | None) -> None:
    """Serve POST /v1/apply and its kin over HTTP. Everything else is set by FASTEDIT_* variables."""
    from fastedit.cli.output import print_error

    try:
        from fastedit.server.run import serve as run
        from fastedit.server.settings import load_server_settings
    except ImportError as error:
        print_error(f"the service isn't installed ({error}): pip install 'fastedit-apply[server]'")
        raise click.exceptions.Exit(WRONG_USAGE) from error
    try:
        run(load_server_settings(host=host, port=port, target=target, device=device, log_level=log_level))
    except SettingsError as error:
        print_error(str(error))
        raise click.exceptions.Exit(WRONG_USAGE) from error
