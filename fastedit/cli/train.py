"""`fastedit train`: a run of training from a configuration file, its outcome in a line."""

from __future__ import annotations

import signal
from importlib.util import find_spec
from pathlib import Path

import click

from fastedit.errors import EditRefused, SettingsError

WRONG_USAGE = 2
NEEDED = ("torch", "transformers", "tokenizers", "safetensors", "accelerate", "numpy")


@click.command()
@click.option(
    "--config",
    type=click.Path(path_type=Path, readable=False),
    required=True,
    metavar="FILE",
    help="A TOML file; fastedit/training/recipes has some.",
)
@click.option("--only-data", is_flag=True, help="Make what the run reads; train nothing.")
def train(config: Path, only_data: bool) -> None:
    """Train a target of your own, or go on with a run that was interrupted."""
    raise click.exceptions.Exit(_run(config, only_data=only_data))


def _run(config: Path, *, only_data: bool) -> int:
    """Makes what the run reads, trains, and gives the exit status. Interrupted, a run goes on when started again."""
    from fastedit.cli.output import print_error

    if find_spec("fastedit.training") is None:
        print_error("what training takes is in no wheel: pip install --editable '.[model,train]' in the repository")
        return WRONG_USAGE
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        print_error(f"training needs {', '.join(missing)}: pip install 'fastedit-apply[model,train]'")
        return WRONG_USAGE
    from fastedit.training import prepare, trainer
    from fastedit.training.settings import read_settings

    try:
        settings = read_settings(config)
        if only_data:
            prepare.prepare(settings)
        else:
            click.echo(f"The target lies in {trainer.train(settings)}")
    except SettingsError as error:
        print_error(str(error))
        return WRONG_USAGE
    except EditRefused as refusal:
        print_error(refusal.message)
        return refusal.exit_status
    except KeyboardInterrupt:
        print_error("interrupted; what was made is kept")
        return 128 + signal.SIGINT
    return 0
