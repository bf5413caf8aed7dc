"""`fastedit train`: a run of training from a configuration file, its outcome in a line."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click

from fastedit.cli import INTERRUPTED
from fastedit.errors import SettingsError

RECIPES = Path(__file__).parents[1] / "training" / "recipes"
NEEDED = ("torch", "transformers", "tokenizers", "safetensors", "accelerate", "numpy")


@click.command()
@click.option(
    "--config",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="A TOML file that says what is trained, and on what.",
)
@click.option("--recipe", metavar="NAME", help="In its place, a file of fastedit/training/recipes without its `.toml`.")
@click.option("--only-data", is_flag=True, help="Make what the run reads; train nothing.")
def train(config: Path | None, recipe: str | None, only_data: bool) -> None:
    """Train a target of your own, or go on with a run that was interrupted."""
    from fastedit.cli.output import print_error

    if (config is None) == (recipe is None):
        raise click.UsageError("name a --config or a --recipe")
    if find_spec("fastedit.training") is None:
        raise SettingsError(
            "what training takes is in no wheel: pip install --editable '.[model,train]' in the repository"
        )
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise SettingsError(f"training needs {', '.join(missing)}: pip install 'fastedit-apply[model,train]'")
    from fastedit.training import prepare, trainer
    from fastedit.training.settings import read_settings

    try:
        settings = read_settings(config or _recipe_named(recipe or ""))
        if only_data:
            prepare.prepare(settings)
        else:
            click.echo(f"The target lies in {trainer.train(settings)}")
    except KeyboardInterrupt:
        print_error("interrupted; what was made is kept")
        raise click.exceptions.Exit(INTERRUPTED) from None


def _recipe_named(name: str) -> Path:
    """The file of a recipe. SettingsError, with the names that there are, for another one."""
    recipes = {path.stem: path for path in RECIPES.glob("*.toml")}
    if name not in recipes:
        raise SettingsError(f"there is no recipe {name!r}; there are {', '.join(sorted(recipes))}")
    return recipes[name]
