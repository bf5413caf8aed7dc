"""The target that is asked where a call names none: the embedded one or a chosen one, loaded once a process."""

from __future__ import annotations

import threading
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from fastedit.errors import Code, EngineUnavailable
from fastedit.targets.loading import getting_ready

if TYPE_CHECKING:
    from fastedit.targets.target import Target

NEEDED = ("torch", "transformers", "tokenizers", "safetensors")
EMBEDDED = "embedded"
EMBEDDED_FOLDER = Path(__file__).parent / EMBEDDED
NO_TARGET = "none"
_lock = threading.Lock()
_loaded: dict[str, Target] = {}
_chosen = EMBEDDED
_is_named = False


def choose_default(name_or_path: str) -> None:
    """Makes this target the default from now on, loaded when first needed; `none` for structural merging alone."""
    global _chosen, _is_named
    _chosen, _is_named = name_or_path, True


def is_named() -> bool:
    """Whether somebody chose the default target, even if they chose the embedded one."""
    return _is_named or _chosen != EMBEDDED


def default_target(*, is_required: bool) -> Target | None:
    """The default target; None where none was chosen and the embedded one isn't installed or is damaged.

    is_required: raise EngineUnavailable(TARGET_UNAVAILABLE), saying what is missing, instead of giving None; a chosen
    target is always required.
    """
    try:
        return _load(_chosen)
    except EngineUnavailable as error:
        if is_required or _chosen not in (EMBEDDED, NO_TARGET):
            raise
        # An installation without a model is complete in itself; one with a broken one isn't.
        if _chosen == EMBEDDED and is_installed():
            import logging

            logging.getLogger(__name__).warning("edits are applied without a target: %s", error.message)
        return None


def default_name() -> str:
    """`embedded` where it is part of the installation, else `none`."""
    return EMBEDDED if EMBEDDED_FOLDER.is_dir() else NO_TARGET


def is_installed() -> bool:
    """Whether the embedded target and what it runs on are there, whole or not."""
    return EMBEDDED_FOLDER.is_dir() and not _missing()


def _missing() -> list[str]:
    return [name for name in NEEDED if find_spec(name) is None]


def _load(name: str) -> Target:
    if name == NO_TARGET:
        raise _unavailable("No target is to be used here; mode='structural' needs none.")
    if missing := _missing():
        raise _unavailable(f"A target needs {', '.join(missing)}: pip install 'fastedit-apply[model]'.")
    if name == EMBEDDED and not EMBEDDED_FOLDER.is_dir():
        raise _unavailable("This installation has no embedded target; name one, or use mode='structural'.")
    with _lock:
        if name not in _loaded:
            with getting_ready(name):
                from fastedit.targets.target import Target

                _loaded[name] = Target.load(name)
        return _loaded[name]


def _unavailable(message: str) -> EngineUnavailable:
    return EngineUnavailable(Code.TARGET_UNAVAILABLE, message)
