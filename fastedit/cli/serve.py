"""`fastedit serve`: from the command line's words to a running service."""

from __future__ import annotations

from typing import Any

import click

from fastedit.errors import SettingsError


@click.command()
@click.option("--host", help="The address to listen on; 127.0.0.1 without the option.")
@click.option("--port", type=int, help="The port to listen on; 8377 without the option.")
@click.option("--target", metavar="NAME", help="A registered target, a folder, or none.")
@click.option("--device", help="auto, cpu, cuda, ...")
@click.option("--engine", metavar="NAME", help="What computes the target: own, or vllm, which is started then.")
@click.option("--engine-url", metavar="URL", help="A vLLM that runs already.")
@click.option("--engine-args", metavar="WORDS", help="Further options for vLLM, in one word: '--dtype bfloat16 ...'.")
@click.option("--engine-python", metavar="PATH", help="The Python of an environment that has vLLM.")
@click.option("--log-level", metavar="LEVEL", help="debug, info, warning or error.")
def serve(**given: Any) -> None:
    """Serve POST /v1/apply and its kin over HTTP. Everything else is set by FASTEDIT_* variables."""
    try:
        from fastedit.server.run import serve as run
        from fastedit.server.settings import load_server_settings
    except ImportError as error:
        raise SettingsError(f"the service isn't installed ({error}): pip install 'fastedit-apply[server]'") from error
    run(load_server_settings(**given))
