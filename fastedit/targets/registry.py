"""The targets that are known by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from fastedit.errors import Code, EngineUnavailable
from fastedit.targets.default import EMBEDDED_FOLDER
from fastedit.targets.templates import CHAT, TEMPLATE_FILE, PromptTemplate, read_template, template_named

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Registered:
    """A known target.

    source: a hub id (looked up in the local cache, never fetched here) or a folder. template: a name.
    only_verifies: in `auto` it confirms drafts, and its own text never stands for one: it is wrong too often.
    """

    source: str | Path
    template: str
    only_verifies: bool = False


REGISTRY = {
    "embedded": Registered(EMBEDDED_FOLDER, "marked", only_verifies=True),
    "kortix-1.5b": Registered("Kortix/FastApply-1.5B-v1.0", "kortix"),
    "kortix-7b": Registered("Kortix/FastApply-7B-v1.0", "kortix"),
    "osmosis-1.7b": Registered("osmosis-ai/Osmosis-Apply-1.7B", "osmosis"),
}


def folder_of(name_or_path: str | Path) -> Path:
    """The folder of a registered name, a path or a hub id in the local cache.

    EngineUnavailable(TARGET_UNAVAILABLE) where there is none; nothing is downloaded.
    """
    registered = REGISTRY.get(str(name_or_path))
    source = registered.source if registered else name_or_path
    if isinstance(source, Path) or Path(source).is_dir():
        return Path(source)
    return _cached(source)


def registered_as(name_or_path: str | Path) -> Registered | None:
    """The entry of a target by its name, its hub id or its folder; None where there is none."""
    wanted = str(name_or_path)
    return next((known for name, known in REGISTRY.items() if wanted in (name, str(known.source))), None)


def template_of(name_or_path: str | Path, folder: Path) -> PromptTemplate:
    """The template that goes with a target: by its registered name or hub id, its folder's own, or the chat one."""
    if registered := registered_as(name_or_path):
        return template_named(registered.template)
    own = folder / TEMPLATE_FILE
    return read_template(own) if own.is_file() else CHAT


def _cached(hub_id: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(hub_id, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError) as error:
        raise EngineUnavailable(Code.TARGET_UNAVAILABLE, _missing(hub_id)) from error


def _missing(source: str) -> str:
    """The message about a target that isn't here: it says how to fetch it, where it may be on the hub."""
    if registered_as(source) or HUB_ID.fullmatch(source):
        return f"{source} wasn't fetched yet: `hf download {source}` does it, once."
    return f"{source!r} is no registered target ({', '.join(sorted(REGISTRY))}), no folder, and no name of the hub's."
