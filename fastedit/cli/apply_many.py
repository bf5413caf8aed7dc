"""`fastedit apply-many`: the edits of a file, done on this machine or on a Ray cluster."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fastedit.cli import INTERRUPTED
from fastedit.errors import STATUSES, Code, FastEditError, SettingsError

if TYPE_CHECKING:
    from fastedit.bulk.rows import Runner

RAY_MISSING = "Ray isn't installed: pip install 'fastedit-apply[ray]'"


@click.command("apply-many")
@click.argument("edits", type=click.Path(path_type=Path, readable=False), metavar="EDITS.jsonl")
@click.option(
    "--output",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="Where the results go; without the option EDITS.results.jsonl beside EDITS.jsonl.",
)
@click.option("--mode", type=click.Choice(["auto", "structural", "model"]), help="As for `apply`.")
@click.option("--target", metavar="NAME", help="The model that is asked: a registered name or a checkpoint's folder.")
@click.option(
    "--certainty", type=click.FloatRange(0, 1), metavar="P", help="As for `apply`; a line's own goes before it."
)
@click.option(
    "--jobs", type=click.IntRange(1, 1024), metavar="N", help="Processes on this machine; without it, one a processor."
)
@click.option("--ray", "is_on_ray", is_flag=True, help="Spread the work over a Ray cluster.")
@click.option("--address", metavar="HOST:PORT", help="The Ray cluster; without it a running one, or one made here.")
def apply_many(
    edits: Path,
    output: Path | None,
    mode: str | None,
    target: str | None,
    certainty: float | None,
    jobs: int | None,
    is_on_ray: bool,
    address: str | None,
) -> None:
    """Apply thousands of edits: a line of EDITS.jsonl each, a line of results each, in the same order.

    A line is {"original", "edit"} and may have "path", "instruction", "format", "certainty", "choose" and "id"; its
    result has the new text, or the refusal. A run that was ended goes on when it is started again, and does nothing
    twice. Exit status 0: every edit has its result, be it a refusal; 6: some have to be tried again, by the same
    command.
    """
    if not is_on_ray and address is not None:
        raise click.UsageError("--address is for --ray")
    if is_on_ray and jobs is not None:
        raise click.UsageError("--jobs is for this machine: a Ray cluster knows its own processors")
    output = output or edits.with_name(f"{edits.name.removesuffix('.jsonl')}.results.jsonl")
    raise click.exceptions.Exit(_run(BulkArguments(edits, output, mode, target, certainty, jobs, is_on_ray, address)))


@dataclass(frozen=True, slots=True)
class BulkArguments:
    """The arguments and options of the command line."""

    edits: Path
    output: Path
    mode: str | None
    target: str | None
    certainty: float | None
    jobs: int | None
    is_on_ray: bool
    address: str | None


def _run(request: BulkArguments) -> int:
    """Does the edits, says what became of them, and gives the exit status."""
    from fastedit.cli.output import print_error, print_traceback

    try:
        return _apply_all(request)
    except FastEditError:
        raise
    except KeyboardInterrupt:
        print_error(f"interrupted; what is done is in {request.output}.part, and the same command goes on from there")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 whatever else goes wrong is ours, and users get no traceback
        print_traceback()
        what = f"unexpected {type(error).__name__}; what is done is in {request.output}.part"
        print_error(f"{what} ({Code.ENGINE_ERROR})")
        return STATUSES[Code.ENGINE_ERROR].exit


def _apply_all(request: BulkArguments) -> int:
    from fastedit import bulk
    from fastedit.bulk.rows import How
    from fastedit.cli.output import print_error
    from fastedit.config import load_settings

    settings = load_settings()
    mode, target = request.mode or settings.mode, request.target or settings.target
    how = How(mode, settings.scope, target, request.certainty)
    with progress_bar() as on_progress:
        summary = bulk.apply_many(request.edits, request.output, how, _runner(request), on_progress)
    click.echo(f"{request.output}: {summary}")
    if not summary.unfinished:
        return 0
    print_error("the same command tries the unfinished ones again")
    return STATUSES[Code.TARGET_UNAVAILABLE].exit


def _runner(request: BulkArguments) -> Runner:
    """Does the rows where the request says. Raises SettingsError where Ray isn't installed."""
    if not request.is_on_ray:
        from fastedit.bulk.local import LocalRunner

        return LocalRunner(request.jobs or len(os.sched_getaffinity(0)))
    if find_spec("ray") is None:
        raise SettingsError(RAY_MISSING)
    from fastedit.bulk.on_ray import RayRunner

    return RayRunner(request.address)


@contextmanager
def progress_bar() -> Iterator[Callable[[int, int], None]]:
    """Shows on a terminal how many edits are done: gives a function that takes this number and that of all."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, transient=True, console=Console(stderr=True)) as bar:
        task = bar.add_task("edits", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
