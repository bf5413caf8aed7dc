"""Replicas and fronts as an application of Ray Serve."""

from __future__ import annotations

import logging
from typing import Any

from ray import serve
from ray.serve.config import AutoscalingConfig, RequestRouterConfig

from fastedit import __version__
from fastedit.cluster.arguments import Cluster, read_cluster, read_settings
from fastedit.cluster.connection import connect
from fastedit.cluster.front import Front
from fastedit.cluster.replica import Replica

NAME = "fastedit"
ROUTER = "ray.serve.experimental.consistent_hash_router.ConsistentHashRouter"
# A replica takes more than it works on: one that is turned away has to be placed anew, and may be late each time, while
# the service's own queues are fair.
QUEUED, MIN_TAKEN = 8, 32


def build(arguments: dict[str, Any]) -> Any:
    """The application, for `serve run fastedit.cluster.deploy:build` and configuration files.

    Raises SettingsError for an argument or a setting that can't be used.
    """
    cluster = read_cluster(arguments)
    settings = read_settings(cluster)
    num_together = settings.structural_workers + (settings.model_requests if settings.has_target else 0)
    replicas = serve.deployment(Replica, name="replica").options(
        **_numbers(cluster, num_together),
        max_ongoing_requests=max(MIN_TAKEN, QUEUED * num_together),
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
