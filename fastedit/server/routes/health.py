"""Is the process alive, and would an edit succeed?"""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from fastedit import __version__
from fastedit.server.loading import State
from fastedit.server.routes.common import TheService

router = APIRouter(tags=["health"])


class Health(BaseModel):
    status: str
    version: str


class TargetReadiness(BaseModel):
    """name: what the settings ask for, null for none. state: none, loading, ready or absent. reason: why not ready.

    fallbacks: what is done in a slower way than usual.
    """

    name: str | None
    state: State
    reason: str
    fallbacks: list[str]


class Readiness(BaseModel):
    """status: `ready`, or `not_ready` where an edit that needs the target would fail; structural ones work always."""

    status: str
    structural: str
    target: TargetReadiness


@router.get("/healthz")
async def healthz() -> Health:
    """The process is alive."""
    return Health(status="ok", version=__version__)


@router.get("/readyz", response_model=Readiness, responses={503: {"model": Readiness}})
async def readyz(service: TheService) -> JSONResponse:
    """Everything that the settings ask for is there: the target is loaded and warmed up."""
    slot = service.slot
    is_ready = slot.state in (State.NONE, State.READY)
    target = TargetReadiness(
        name=slot.name,
        state=slot.state,
        reason="" if is_ready else slot.explanation,
        fallbacks=list(slot.engine.fallbacks) if slot.engine else [],
    )
    body = Readiness(status="ready" if is_ready else "not_ready", structural="ready", target=target)
    return JSONResponse(body.model_dump(mode="json"), 200 if is_ready else 503)
