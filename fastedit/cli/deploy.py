"""`fastedit deploy`: the service as replicas on a Ray cluster."""

from __future__ import annotations

import signal
from importlib.util import find_spec
from typing import Any

import click

from fastedit.errors import SettingsError

NEEDED = {"ray": "ray", "fastapi": "server", "pydantic_settings": "server"}


@click.command()
@click.option("--replicas", type=int, metavar="N", help="How many there are at first and at least; 2 without it.")
@click.option("--max-replicas", type=int, metavar="N", help="How many there are at most, by the length of the queue.")
@click.option("--target", metavar="NAME", help="A registered target, a folder, or none; none without it.")
@click.option("--host", help="The address to listen on; 127.0.0.1 without the option.")
@click.option("--port", type=int, help="The port to listen on; 8377 without the option.")
@click.option("--num-cpus", type=float, metavar="N", help="What each replica takes; 1 without the option.")
@click.option("--num-gpus", type=float, metavar="N", help="The same; 0 without the option.")
@click.option("--address", metavar="HOST:PORT", help="The Ray cluster; without it a running one, or one made here.")
def deploy(target: str | None, host: str | None, port: int | None, address: str | None, **numbers: Any) -> None:
    """Serve from replicas on a Ray cluster, with a file's requests going to the same one.

    Where it is deployed already, the replicas are replaced bit by bit, and no request is lost.
    """
    given = {"host": host, "port": port, "target": target or "none"}
    settings = {name: value for name, value in given.items() if value is not None}
    arguments = {name: value for name, value in numbers.items() if value is not None}
    _deploy(arguments | {"settings": settings}, address)


def _deploy(arguments: dict[str, Any], address: str | None) -> None:
    """Checks what is asked for, deploys it, and stays where the cluster would end. Raises what `deploy.deploy` does."""
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        extras = ",".join(sorted({NEEDED[name] for name in missing}))
        raise SettingsError(f"{', '.join(missing)} isn't installed: pip install 'fastedit-apply[{extras}]'")
    from fastedit.cluster.arguments import read_cluster, read_settings
    from fastedit.cluster.deploy import deploy as deploy_on_ray

    cluster = read_cluster(arguments)
    settings = read_settings(cluster)
    try:
        is_new = deploy_on_ray(cluster, address)
    except RuntimeError as error:
        raise SettingsError(f"the replicas didn't start: {str(error).partition(chr(10))[0]}") from error
    click.echo(f"serving on http://{settings.host}:{settings.port} with {cluster.replicas} replicas")
    if is_new:
        click.echo("the Ray cluster was started here, and ends with Ctrl-C")
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
