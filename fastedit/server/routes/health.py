"""GET /healthz, /readyz and /metrics: is the process alive, would an edit succeed, and what was counted."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel

from fastedit import __version__
from fastedit.server.answers import TheService
from fastedit.server.loading import State

router = APIRouter(tags=["health"])


class Health(BaseModel):
    status: str
    version: str


class TargetReadiness(BaseModel):
    """The target's state.

    name: what the settings ask for, null for none. state: none, loading, ready or absent. reason: why not ready.
    fallbacks: what is done in a slower way than usual.
    """

    name: str | None
    state: State
    reason: str
    fallbacks: list[str]


class Readiness(BaseModel):
    """The service's state.

    status: `ready`, or `not_ready` where an edit would have to wait or fail.
    structural: `ready`, or `starting` while its processes do: structural edits wait for them, and never fail.
    """

    status: str
    structural: str
    target: TargetReadiness


@router.get("/healthz")
async def healthz() -> Health:
    """The process is alive."""
    return Health(status="ok", version=__version__)


@router.get("/readyz", response_model=Readiness, responses={503: {"model": Readiness}})
async def readyz(service: TheService) -> JSONResponse:
    """Everything that the settings ask for is there, and warmed up."""
    slot = service.slot
    has_target = slot.state in (State.NONE, State.READY)
    is_ready = has_target and service.is_warm and not service.is_stopping
    target = TargetReadiness(
        name=slot.name,
        state=slot.state,
        reason="" if has_target else slot.explanation,
        fallbacks=list(slot.engine.fallbacks) if slot.engine else [],
    )
    structural = "ready" if service.is_warm else "starting"
    body = Readiness(status="ready" if is_ready else "not_ready", structural=structural, target=target)
    return JSONResponse(body.model_dump(mode="json"), 200 if is_ready else 503)


@router.get("/metrics", response_class=Response)
async def metrics(service: TheService) -> Response:
    """Counts and times since the start, in Prometheus' text format."""
    return Response(service.metrics.text(), media_type=CONTENT_TYPE_LATEST)
