"""Replicas and fronts as an application of Ray Serve."""

from __future__ import annotations

import logging
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from ray import serve
from ray.serve.config import AutoscalingConfig, RequestRouterConfig

from fastedit import __version__
from fastedit.cluster.connection import connect
from fastedit.cluster.front import Front
from fastedit.cluster.replica import Replica
from fastedit.errors import SettingsError
from fastedit.server.run import check_exposure, check_keys
from fastedit.server.settings import ServerSettings, load_server_settings

NAME = "fastedit"
ROUTER = "ray.serve.experimental.consistent_hash_router.ConsistentHashRouter"
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


def build(arguments: dict[str, Any]) -> Any:
    """The application, for `serve run fastedit.cluster.deploy:build` and configuration files.

    Raises SettingsError for an argument or a setting that can't be used.
    """
    cluster = read_cluster(arguments)
    settings = read_settings(cluster)
    num_together = settings.structural_workers + (settings.model_requests if settings.has_target else 0)
    replicas = serve.deployment(Replica, name="replica").options(
        **_numbers(cluster, num_together),
        max_ongoing_requests=2 * num_together,
        max_queued_requests=settings.max_waiting,
        graceful_shutdown_timeout_s=settings.drain_s,
        health_check_period_s=5,
        ray_actor_options={"num_cpus": cluster.num_cpus, "num_gpus": cluster.num_gpus},
        request_router_config=RequestRouterConfig(
            request_router_class=ROUTER, request_router_kwargs={"num_fallback_replicas": cluster.fallbacks}
        ),
    )
    fronts = serve.deployment(Front, name="front").options(
        num_replicas=cluster.fronts,
        max_ongoing_requests=settings.max_connections,
        graceful_shutdown_timeout_s=settings.drain_s,
        ray_actor_options={"num_cpus": 0},
    )
    return fronts.bind(replicas.bind(cluster.settings, __version__), cluster.settings)


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


def _numbers(cluster: Cluster, num_together: int) -> dict[str, Any]:
    """The options that say how many replicas there are."""
    if cluster.max_replicas in (None, cluster.replicas):
        return {"num_replicas": cluster.replicas}
    scaling = AutoscalingConfig(
        min_replicas=cluster.replicas,
        initial_replicas=cluster.replicas,
        max_replicas=cluster.max_replicas,
        target_ongoing_requests=cluster.queue or num_together,
        upscale_delay_s=cluster.upscale_delay_s,
        downscale_delay_s=cluster.downscale_delay_s,
    )
    return {"autoscaling_config": scaling}


def deploy(cluster: Cluster, address: str | None) -> bool:
    """Deploys on the cluster at `address`, or replaces what is there bit by bit; returns once the replicas answer.

    Gives whether the cluster is a new one, which ends with this process. Raises EngineUnavailable where it can't be
    reached, SettingsError as `build`.
    """
    settings = read_settings(cluster)
    is_new = connect(address)
    logging.getLogger("ray.serve").setLevel(logging.ERROR)
    serve.start(http_options={"host": settings.host, "port": settings.port})
    serve.run(build(cluster.model_dump()), name=NAME, route_prefix="/")
    return is_new
