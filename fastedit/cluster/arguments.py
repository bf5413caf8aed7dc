"""The arguments of a deployment, which can be checked where Ray isn't."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from fastedit.errors import SettingsError
from fastedit.server.run import check_exposure, check_keys
from fastedit.server.settings import ServerSettings, load_server_settings

Share = Annotated[float, Field(ge=0, le=1024)]
Number = Annotated[int, Field(ge=1, le=10_000)]


class Cluster(BaseModel):
    """The `args` of the application in a configuration file of Ray Serve.

    replicas: how many there are at first and at least. max_replicas: how many there are at most; without it as many as
    `replicas`. queue: requests under way and waiting, for each replica, from which on there are more of them.
    fallbacks: replicas that take a file's requests, in the same order always, where its own is full. fronts: processes
    that take clients' requests. num_cpus, num_gpus: what each replica takes. settings: the service's, by their names in
    lower case; the rest is what the environment of each machine says.
    """

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    replicas: Number = 2
    max_replicas: Number | None = None
    queue: Annotated[float, Field(gt=0)] | None = None
    upscale_delay_s: Annotated[float, Field(ge=0)] = 5.0
    downscale_delay_s: Annotated[float, Field(ge=0)] = 300.0
    fallbacks: Annotated[int, Field(ge=0, le=100)] = 1
    fronts: Number = 2
    num_cpus: Share = 1.0
    num_gpus: Share = 0.0
    settings: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check(self) -> Cluster:
        if self.max_replicas is not None and self.max_replicas < self.replicas:
            raise ValueError(f"max_replicas is {self.max_replicas}, but there are {self.replicas} at least")
        return self


def read_cluster(arguments: dict[str, Any]) -> Cluster:
    """The arguments, checked. Raises SettingsError for the first that can't be used."""
    try:
        return Cluster.model_validate(arguments)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise SettingsError(f"{name}: {first['msg']}" if name else first["msg"]) from error


def read_settings(cluster: Cluster) -> ServerSettings:
    """The replicas' settings, as they are on this machine. Raises SettingsError where `fastedit serve` would."""
    settings = load_server_settings(**cluster.settings)
    check_exposure(settings)
    check_keys(settings)
    return settings
