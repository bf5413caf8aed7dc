"""How a repository is installed and tested: one table in TOML for each."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path, PurePosixPath
from typing import Any

from evals.swebench.instances import Instance
from evals.swebench.logs import READERS

BUILT_IN = Path(__file__).with_name("recipes.toml")
DEFAULT = "default"
TEST_SUFFIX = ".py"


class RecipeError(Exception):
    """A recipe can't be read, or has a field that doesn't exist."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One repository's recipe.

    python: the interpreter (`3.12`, a path; "" for the one that runs this). install: shell commands, run once in a
    copy of the checkout with the environment's `bin` first on the PATH. per_commit: whether
    each base commit has an environment of its own. python_path: folders of a checkout that tests import from.
    prepare: shell commands run in each checkout, without network, before its tests. test: the shell command; `{tests}`
    stands for the tests to run. names: how they are named there, as `paths` or `modules` (below `tests_root`).
    log: the reader of what the command prints.
    """

    python: str = ""
    install: tuple[str, ...] = ()
    per_commit: bool = False
    python_path: tuple[str, ...] = (".",)
    prepare: tuple[str, ...] = ()
    test: str = "python -m pytest -rA --tb=no -p no:cacheprovider {tests}"
    names: str = "paths"
    tests_root: str = ""
    log: str = "pytest"
    timeout_s: float = 1800.0
    install_timeout_s: float = 1800.0
    memory_mib: int = 8192

    def tests(self, paths: list[str]) -> list[str]:
        """What stands for `{tests}`: the test files among the paths that a test patch touches."""
        files = [path for path in paths if path.endswith(TEST_SUFFIX)]
        if self.names == "paths":
            return files
        inner = [path.removeprefix(self.tests_root).removesuffix(TEST_SUFFIX) for path in files]
        return [".".join(PurePosixPath(path).parts) for path in inner]


@dataclass(frozen=True, slots=True)
class Recipes:
    """Recipes by repository, or by `repository@version`; `default` is for all others."""

    table: Mapping[str, Recipe]

    def of(self, instance: Instance) -> Recipe:
        for name in (f"{instance.repo}@{instance.version}", instance.repo, DEFAULT):
            if name in self.table:
                return self.table[name]
        return Recipe()


def load_recipes(path: Path | None = None) -> Recipes:
    """The built-in recipes with those of a file over them. Raises RecipeError."""
    table = _read(BUILT_IN)
    return Recipes(table | _read(path) if path is not None else table)


def _read(path: Path) -> dict[str, Recipe]:
    try:
        rows = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RecipeError(f"{path} can't be read: {error}") from error
    return {name: _recipe(name, row) for name, row in rows.items()}


def _recipe(name: str, row: Any) -> Recipe:
    if not isinstance(row, dict):
        raise RecipeError(f"{name} must be a table")
    known = {field.name: type(field.default) for field in fields(Recipe)}
    values: dict[str, Any] = {}
    for key, value in row.items():
        value = tuple(value) if isinstance(value, list) else value
        wanted = known.get(key)
        if wanted is float and isinstance(value, int):
            value = float(value)
        if wanted is None or not isinstance(value, wanted):
            raise RecipeError(f"{name}: {key} = {value!r} is no field of a recipe, or of the wrong type")
        values[key] = value
    recipe = Recipe(**values)
    if recipe.log not in READERS or recipe.names not in ("paths", "modules"):
        raise RecipeError(f"{name}: log must be one of {', '.join(READERS)}, names one of paths, modules")
    return recipe
