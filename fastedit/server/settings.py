"""The service's settings, read from FASTEDIT_* variables; `fastedit.config` knows their names."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from fastedit.config import PREFIX, check_names, web_address
from fastedit.engines.child import Launch, words_of
from fastedit.engines.wire import Server
from fastedit.errors import SettingsError
from fastedit.targets.default import EMBEDDED, NO_TARGET, default_name

MIB = 1 << 20


def _listed(value: Any) -> Any:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
Keys = Annotated[tuple[SecretStr, ...], NoDecode, BeforeValidator(_listed)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]


class ServerSettings(BaseSettings):
    """The settings of the service. Lists are written with commas.

    target: a registered name or a folder; "none" serves without one, and so does an installation without an embedded
    one that names none. The embedded one is asked in `auto` only where it is named.
    engine: what computes the target: FastEdit's own, or a vLLM that is started with engine_args by engine_python,
    unless engine_url says where one runs already, which may ask for engine_key.
    api_keys: one of them must come with each request, if there are any; api_keys_file has one a line.
    allowed_hosts: further names that a Host header may have. allowed_origins: browsers' pages that may call the
    service. *_timeout_s: how long a client may take to send what it
    wants. max_connections: clients that are served at once; as many again are told that there is no room.
    deadline_s: how long a request may take that doesn't say; max_deadline_s: what it may say at most.
    structural_workers: processes for structural work. model_requests: requests that a target works on at once.
    cache_mib: memory for what a target has read, in MiB; None for 1024 on a CPU, most of what is free on a GPU.
    max_waiting: requests that wait in each lane before more are turned away. requests_per_minute: for each key (each
    address without keys), 0 for any number. drain_s: how long a stopping service goes on with what it has begun.
    log_source: whether texts of files and edits are logged.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True, hide_input_in_errors=True)

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 8377
    target: Annotated[str, Field(min_length=1)] = Field(default_factory=default_name)
    device: Annotated[str, Field(min_length=1)] = "auto"
    engine: Literal["own", "vllm"] = "own"
    engine_url: Annotated[str, AfterValidator(web_address)] | None = None
    engine_key: SecretStr | None = None
    engine_args: str = ""
    engine_python: Annotated[str, Field(min_length=1)] = sys.executable
    api_keys: Keys = ()
    api_keys_file: Path | None = None
    allowed_hosts: Names = ()
    allowed_origins: Names = ()
    max_body_bytes: Annotated[int, Field(ge=1024, le=1 << 30)] = 8 * MIB
    header_timeout_s: Seconds = 10.0
    body_timeout_s: Seconds = 30.0
    max_connections: Count = 4096
    deadline_s: Seconds = 30.0
    max_deadline_s: Seconds = 300.0
    structural_workers: Annotated[int, Field(ge=1, le=64)] = Field(default_factory=lambda: min(4, os.cpu_count() or 1))
    model_requests: Annotated[int, Field(ge=1, le=256)] = 16
    cache_mib: Count | None = None
    max_waiting: Count = 256
    max_batch: Count = 64
    requests_per_minute: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    drain_s: Annotated[float, Field(ge=0, le=3600)] = 10.0
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["text", "json"] = "json"
    log_source: bool = False

    @property
    def has_target(self) -> bool:
        return self.target != NO_TARGET

    @property
    def asks_in_auto(self) -> bool:
        """Whether `auto` asks the target: not the embedded one unless somebody named it, as everywhere else."""
        return self.target != EMBEDDED or "target" in self.model_fields_set

    @property
    def cache_bytes(self) -> int | None:
        return None if self.cache_mib is None else self.cache_mib * MIB

    @property
    def has_other_engine(self) -> bool:
        """Whether the target isn't loaded into this process."""
        return self.engine != "own" or self.engine_url is not None

    @property
    def engine_source(self) -> Server | Launch:
        """The other engine's address, or the command that starts it. Raises SettingsError where that can't be read."""
        if self.engine_url is not None:
            key = self.engine_key.get_secret_value() if self.engine_key else None
            return Server(self.engine_url.rstrip("/"), key)
        try:
            words = shlex.split(self.engine_args)
        except ValueError as error:
            raise SettingsError(f"{PREFIX}ENGINE_ARGS: {error}") from error
        return Launch(self.target, words_of(words), self.engine_python)

    @property
    def keys(self) -> tuple[bytes, ...]:
        """All API keys. Raises SettingsError where the file with them can't be read."""
        return tuple(key.get_secret_value().encode() for key in self.api_keys) + self._keys_of_file()

    def _keys_of_file(self) -> tuple[bytes, ...]:
        if self.api_keys_file is None:
            return ()
        try:
            lines = self.api_keys_file.read_bytes().split(b"\n")
        except OSError as error:
            raise SettingsError(f"{PREFIX}API_KEYS_FILE: {error.strerror}: {self.api_keys_file}") from error
        return tuple(line.strip() for line in lines if line.strip() and not line.lstrip().startswith(b"#"))


def load_server_settings(**given: Any) -> ServerSettings:
    """The environment's settings, `given` ones (None left out) before them.

    Raises SettingsError, naming it, for a FASTEDIT_ name or value that can't be used.
    """
    check_names(os.environ)
    try:
        return ServerSettings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = "_".join(str(part) for part in first["loc"][:1]).upper()
        raise SettingsError(f"{PREFIX}{name}: {first['msg']}") from error
