"""Names the service that runs for this user, so that other programs of the user's find its target loaded.

`fastedit serve` leaves a note in the user's runtime directory, which nobody else can write to; where there is no such
directory (`XDG_RUNTIME_DIR`), nothing is noted and nothing found.
"""

from __future__ import annotations

import http.client
import json
import os
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fastedit.config import runtime_folder

NOTE = "service.json"
PATIENCE_S = 0.5  # a service on this machine that is well answers in milliseconds
MAX_NOTE_BYTES = 1 << 16
HERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # by what listens on all addresses


@dataclass(frozen=True, slots=True)
class RunningService:
    """A service of this user's. target: the name of the one that it has; has_keys: whether it asks for an API key;
    asks_in_auto: whether it asks its target in `auto`.
    """

    url: str
    target: str
    has_keys: bool
    pid: int
    asks_in_auto: bool = True


@contextmanager
def noted(service: RunningService) -> Iterator[None]:
    """Leaves a note of the service for as long as it runs. Of several services the last one to start is noted."""
    folder = runtime_folder()
    if folder is None:
        yield
        return
    path = folder / NOTE
    with suppress(OSError):  # a service that isn't found of itself serves all the same
        folder.mkdir(mode=0o700, exist_ok=True)
        new = path.with_suffix(f".{service.pid}")
        new.write_text(json.dumps(asdict(service)), "utf-8")
        new.replace(path)
    try:
        yield
    finally:
        with suppress(OSError):
            if _read(path) == service:
                path.unlink()


def running_service(target: str, *, has_key: bool, mode: str = "auto") -> RunningService | None:
    """The service that runs for this user with this target ready; None where there is none.

    has_key: whether the caller has an API key to show. mode: in which the target is to be asked.
    """
    folder = runtime_folder()
    service = _read(folder / NOTE) if folder is not None else None
    if service is None or service.target != target or (service.has_keys and not has_key):
        return None
    if mode == "auto" and not service.asks_in_auto:
        return None
    return service if _is_ready(service) else None


def _read(path: Path) -> RunningService | None:
    """The service that a note of this user's own names; None where there is no such note."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid():
                return None
            note = json.loads(file.read(MAX_NOTE_BYTES))
        service = RunningService(
            str(note["url"]),
            str(note["target"]),
            bool(note["has_keys"]),
            int(note["pid"]),
            bool(note["asks_in_auto"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return service if service.url.startswith("http://") else None


def _is_ready(service: RunningService) -> bool:
    """Whether it is there, and its target loaded."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{service.url}/readyz", timeout=PATIENCE_S) as answer:
            told: Any = json.loads(answer.read(MAX_NOTE_BYTES))
        return bool(told["target"]["state"] == "ready" and told["target"]["name"] == service.target)
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return False


def url_of(host: str, port: int) -> str:
    """The address at which programs on this machine reach a service that listens there."""
    shown = HERE.get(host, host)
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"
