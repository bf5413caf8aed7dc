"""`fastedit train`: a run of training from a configuration file, its outcome in a line."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from fastedit.cli import INTERRUPTED
from fastedit.errors import SettingsError

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
    from fastedit.cli.output import print_error

    if find_spec("fastedit.training") is None:
        raise SettingsError(
            "what training takes is in no wheel: pip install --editable '.[model,train]' in the repository"
        )
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise SettingsError(f"training needs {', '.join(missing)}: pip install 'fastedit-apply[model,train]'")
    from fastedit.training import prepare, trainer
    from fastedit.training.settings import read_settings

    try:
        settings = read_settings(config)
        if only_data:
            prepare.prepare(settings)
        else:
            click.echo(f"The target lies in {trainer.train(settings)}")
    except KeyboardInterrupt:
        print_error("interrupted; what was made is kept")
        raise click.exceptions.Exit(INTERRUPTED) from None
