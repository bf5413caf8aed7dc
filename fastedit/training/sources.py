"""The folders that a run's originals come from, by the names that configurations give them."""

from __future__ import annotations

import hashlib
import importlib.util
import sysconfig
from pathlib import Path

from fastedit.errors import SettingsError
from fastedit.syntax import language_of
from fastedit.training.settings import TrainingSettings
from fastedit.training.synthesis.sources import LANGUAGES, PATH_PARTS, find_files

INSTALLED = "python:"
STANDARD_LIBRARY = "stdlib"


def source_folders(settings: TrainingSettings) -> list[Path]:
    """The folder (or file) of each of `data.sources`. SettingsError for one that isn't there."""
    return [_located(name, settings) for name in settings.data.sources]


def kept_apart(settings: TrainingSettings) -> list[Path]:
    """All files below `data.apart`."""
    folders = [settings.path(name) for name in settings.data.apart]
    return [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]


def is_held_out(source: str, share: float) -> bool:
    """Whether an original is for evaluation only, told by its path: the same on every machine and in every run."""
    digest = hashlib.blake2b(source.encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") < share * 2**32


def held_out_files(settings: TrainingSettings) -> list[Path]:
    """The files of all sources that are for evaluation only.

    Without those that have a namesake that isn't (`lib/button/index.js` beside `es/button/index.ts`): it may be nearly
    the same text.
    """
    share = settings.data.held_out
    files = [
        (path, _shown(name)) for path, name in find_files(source_folders(settings)) if language_of(name) in LANGUAGES
    ]
    seen = {_namesake(shown) for _, shown in files if not is_held_out(shown, share)}
    return [path for path, shown in files if is_held_out(shown, share) and _namesake(shown) not in seen]


def _shown(name: str) -> str:
    """A file's path as samples give it."""
    return "/".join(name.split("/")[-PATH_PARTS:])


def _namesake(shown: str) -> tuple[str, ...]:
    return Path(shown).with_suffix("").parts[-2:]


def _located(name: str, settings: TrainingSettings) -> Path:
    path = installed(name.removeprefix(INSTALLED)) if name.startswith(INSTALLED) else settings.path(name)
    if path is None or not path.exists():
        raise SettingsError(f"data.sources: there is no {name}")
    return path


def installed(name: str) -> Path | None:
    """The folder or file of an installed package (or of `stdlib`); None where it isn't there."""
    if name == STANDARD_LIBRARY:
        return Path(sysconfig.get_path("stdlib"))
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return None
    origin = Path(spec.origin)
    return origin.parent if origin.name == "__init__.py" else origin
