"""Settings: the only place that reads the environment, with `server.settings`, which reads the service's own.

FASTEDIT_MODE            auto, structural or model: what --mode is without the option
FASTEDIT_SCOPE           auto, windows or file: what --scope is without the option
FASTEDIT_TARGET          the model that is asked, or none: what --target is without the option
FASTEDIT_MAX_FILE_BYTES  how large a file or an edit may be
FASTEDIT_URL             the service that merges edits: what --server is without the option
FASTEDIT_API_KEY         the key that it asks for
FASTEDIT_ENGINE_URL      a vLLM that computes the target: what --engine-url is without the option
FASTEDIT_ENGINE_KEY      the key that it asks for
FASTEDIT_DEBUG           1 shows tracebacks
NO_COLOR, FORCE_COLOR    as everywhere: output without colours, or with them even into a pipe
XDG_STATE_HOME           as everywhere: where what `fastedit undo` needs is kept, by default ~/.local/state
XDG_RUNTIME_DIR          as everywhere: where a service that runs is noted, so that the command finds it
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastedit.errors import SettingsError

PREFIX = "FASTEDIT_"
# The service's settings. Reading them takes pydantic, which the command line does without; their names it must know.
SERVER_NAMES = tuple(
    f"{PREFIX}{name}"
    for name in (
        "HOST PORT DEVICE ENGINE ENGINE_ARGS ENGINE_PYTHON "
        "API_KEYS API_KEYS_FILE ALLOWED_HOSTS ALLOWED_ORIGINS MAX_BODY_BYTES HEADER_TIMEOUT_S "
        "BODY_TIMEOUT_S MAX_CONNECTIONS DEADLINE_S MAX_DEADLINE_S STRUCTURAL_WORKERS MODEL_REQUESTS CACHE_MIB "
        "MAX_WAITING MAX_BATCH REQUESTS_PER_MINUTE DRAIN_S LOG_LEVEL LOG_FORMAT LOG_SOURCE"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The values that the environment can set. has_color: None where it depends on there being a terminal."""

    mode: str = "auto"
    scope: str = "auto"
    target: str | None = None
    max_file_bytes: int = 16 << 20
    url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    engine_url: str | None = None
    engine_key: str | None = field(default=None, repr=False)
    is_debugging: bool = False
    has_color: bool | None = None


def load_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings of an environment. Raises SettingsError for a FASTEDIT_ name or value that doesn't exist."""
    check_names(environment)
    values: dict[str, Any] = {}
    for name in sorted(_READERS.keys() & environment.keys()):
        setting, read = _READERS[name]
        try:
            values[setting] = read(environment[name])
        except ValueError as error:
            raise SettingsError(f"{name}={environment[name]!r}: {error}") from error
    if environment.get("NO_COLOR"):
        values["has_color"] = False
    elif environment.get("FORCE_COLOR"):
        values["has_color"] = True
    return Settings(**values)


def state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The user's own folder for what is kept between runs."""
    given = environment.get("XDG_STATE_HOME", "")
    return (Path(given) if given.startswith("/") else Path.home() / ".local" / "state") / "fastedit"


def runtime_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The user's own folder for what lasts as long as a session; None where the system gives none."""
    given = environment.get("XDG_RUNTIME_DIR", "")
    return Path(given) / "fastedit" if given.startswith("/") else None


def check_names(environment: Mapping[str, str]) -> None:
    """Raises SettingsError for a FASTEDIT_ name that no setting has: most likely it is misspelt."""
    for name in sorted(name for name in environment if name.startswith(PREFIX)):
        if name not in _READERS and name not in SERVER_NAMES:
            raise SettingsError(f"there is no setting {name}; known are {', '.join((*_READERS, *SERVER_NAMES))}")


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _one_of(*allowed: str) -> Callable[[str], str]:
    def read(value: str) -> str:
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}")
        return value

    return read


def _positive(value: str) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) <= 18 and int(value)):
        raise ValueError("must be a whole number above 0")
    return int(value)


def _name(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    return value


def web_address(value: str) -> str:
    """Returns the value. Raises ValueError where it is no web address."""
    if not value.startswith(("http://", "https://")):
        raise ValueError("must start with http:// or https://")
    return value


def _switch(value: str) -> bool:
    switches = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}
    if value.lower() not in switches:
        raise ValueError("must be 1 or 0")
    return switches[value.lower()]


_READERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "FASTEDIT_MODE": ("mode", _one_of("auto", "structural", "model")),
    "FASTEDIT_SCOPE": ("scope", _one_of("auto", "windows", "file")),
    "FASTEDIT_TARGET": ("target", _name),
    "FASTEDIT_MAX_FILE_BYTES": ("max_file_bytes", _positive),
    "FASTEDIT_URL": ("url", web_address),
    "FASTEDIT_API_KEY": ("api_key", str),
    "FASTEDIT_ENGINE_URL": ("engine_url", web_address),
    "FASTEDIT_ENGINE_KEY": ("engine_key", str),
    "FASTEDIT_DEBUG": ("is_debugging", _switch),
}
